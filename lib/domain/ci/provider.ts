/** Kinds of origins that a trusted workflow can name. */
export const originKinds = ['branch', 'tag', 'environment'] as const;
export type OriginKind = (typeof originKinds)[number];

/** The origin that an owner trusts, with exactly one of branch, tag, and environment. */
export type TrustedOrigin = { repository: string } & { [Kind in OriginKind]?: string | undefined };

/** The numeric IDs of a repository and its owner. The CI system never reuses them, and a rename keeps them. */
export interface RepositoryIds {
  repository_id: string;
  repository_owner_id: string;
}

/** The parts of a subject that names a repository. */
export interface SubjectParts {
  repository: string;
  /** The IDs in the subject. GitHub's subjects contain both or none. */
  ids: { [Id in keyof RepositoryIds]: string | undefined };
  origin: OriginKind | 'pull request' | 'customised subject';
  /** The name of the origin. For an environment, in the escaped form of the subject. */
  name: string;
}

/** A claim that repeats a part of the subject. */
export interface RepeatedClaim {
  claim: string;
  agrees: (value: string) => boolean;
}

/** An optional condition of a trust: the exact value of one claim. `withoutRef` removes the claim's `@ref` first. */
export interface PinnedClaim {
  claim: string;
  withoutRef?: true;
}

/** The optional conditions that a trusted workflow can add to its origin. */
export const pinNames = ['workflow_file', 'job_workflow', 'event_name', 'ref', 'ci_config'] as const;
export type PinName = (typeof pinNames)[number];
export type Pins = { [Name in PinName]?: string | undefined };

interface AnyProvider {
  /** Algorithms of its signatures (RFC 7518, section 3.1). */
  algorithms: readonly TokenAlgorithm[];
  /** Returns the reason why an account cannot register this issuer under this kind. */
  issuerFault(issuer: string): string | undefined;
  /** The page of the documentation for users, below `docs`. */
  page: string;
}

/** A CI system whose subjects name a repository and the origin of a run. */
export interface RepositoryProvider extends AnyProvider {
  identifiedBy: 'repository';
  /** Kinds of origins that its subjects can name. */
  origins: readonly OriginKind[];
  /** Claims with the name of the repository, its IDs, and the environment's name. */
  claims: { repository: string; repository_id: string; repository_owner_id: string; environment: string };
  pins: { readonly [Name in PinName]?: PinnedClaim };
  /** Returns the reason why a name without wildcards is not valid for a repository of this CI system. */
  repositoryFault(repository: string): string | undefined;
  /** Returns the exact subject of its tokens for runs of this origin. The caller has already checked the names. */
  subject(origin: TrustedOrigin): string;
  /** Parses a subject, in more forms than a user can trust. Returns undefined if it is not of this CI system. */
  parseSubject(subject: string): SubjectParts | undefined;
  /** Returns the origin in the form for comparison. */
  originKey(parts: Pick<SubjectParts, 'origin' | 'name'>): string;
  /** Returns the claims that repeat the parts of a subject. */
  repeatedClaims(parts: SubjectParts): readonly RepeatedClaim[];
  /** Returns the name of the repository in the form that a user trusts. */
  repositoryWithIds(parts: Pick<SubjectParts, 'repository' | 'ids'>): string;
}

/** An issuer whose `sub` identifies the workload, together with other claims that the owner chooses. */
export interface SubjectProvider extends AnyProvider {
  identifiedBy: 'subject';
  /** Returns the reason why no workload of this kind has such a subject. */
  subjectFault(subject: string): string | undefined;
  /** Claims of other kinds. A token that has one comes from an issuer that belongs to another kind. */
  foreignClaims: readonly string[];
  /** Claims with the immutable IDs of a repository. A trust must name them. */
  idClaims?: RepositoryIds;
  /** Returns true for the subject of a merge request, which never signs in. */
  isMergeRequest?(subject: string): boolean;
}

/** Rules for the identity tokens of one kind of issuer. All differences between kinds are here. */
export type CiProvider = RepositoryProvider | SubjectProvider;

export const tokenAlgorithms = ['RS256', 'ES256', 'ES384'] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** Converts only ASCII letters to lower case. Full conversion would turn U+212A (Kelvin) into "k". */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function isSameName(a: string, b: string): boolean {
  return foldAscii(a) === foldAscii(b);
}

/** Returns the reason why an issuer of GitHub or GitLab cannot have a kind that knows no repositories. */
export function reservedHostFault(issuer: string): string | undefined {
  const { hostname } = new URL(issuer);
  if (hostname === 'token.actions.githubusercontent.com') return 'must have the kind github';
  return hostname === 'gitlab.com' ? 'must have the kind gitlab' : undefined;
}
