import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { CiProvider } from './provider.ts';

/** Every CI system whose identity tokens may sign in, by the `kind` that a deployment's configuration names. */
export const ciProviders = { github, gitlab } satisfies Record<string, CiProvider>;
export type CiProviderKind = keyof typeof ciProviders;

export function ciProvider({ kind }: { kind: CiProviderKind }): CiProvider {
  return ciProviders[kind];
}
