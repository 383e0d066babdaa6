import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { CiProvider } from './provider.ts';

/** The supported CI systems, by the `kind` in a deployment's configuration. */
export const ciProviders = { github, gitlab } satisfies Record<string, CiProvider>;
export type CiProviderKind = keyof typeof ciProviders;

export function ciProvider({ kind }: { kind: CiProviderKind }): CiProvider {
  return ciProviders[kind];
}
