import { forgejo } from './forgejo.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { kubernetes } from './kubernetes.ts';
import { oidc } from './oidc.ts';
import type { CiProvider } from './provider.ts';

/** The supported issuer kinds, by the value of `kind` in a deployment's configuration and in the API. */
export const ciProviders = { github, gitlab, forgejo, kubernetes, oidc } satisfies Record<string, CiProvider>;
export type CiProviderKind = keyof typeof ciProviders;

/** The issuer kinds whose subjects name a repository. */
export type RepositoryKind = 'github' | 'gitlab';

export function isRepositoryKind(kind: CiProviderKind): kind is RepositoryKind {
  return ciProviders[kind].identifiedBy === 'repository';
}

export function ciProvider({ kind }: { kind: CiProviderKind }): CiProvider {
  return ciProviders[kind];
}
