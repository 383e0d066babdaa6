/** The types of origins that a trusted workflow can name. An origin is the git reference or environment of a CI run. */
export const originKinds = ['branch', 'tag', 'environment'] as const;
export type OriginKind = (typeof originKinds)[number];

/** The repository and the origin that an owner trusts: exactly one of branch, tag, and environment. */
export type TrustedOrigin = { repository: string } & { [Kind in OriginKind]?: string | undefined };

/**
 * The numeric IDs of a repository and its owner. CI systems never reuse them, and they do not change when the
 * repository is renamed.
 */
export interface RepositoryIds {
  repository_id: string;
  repository_owner_id: string;
}

/** The parts of a subject that names a repository. */
export interface SubjectParts {
  repository: string;
  /** The IDs of the owner and of the repository in the token's subject. GitHub's subjects contain both IDs or neither. */
  ids: { [Id in keyof RepositoryIds]: string | undefined };
  origin: OriginKind | 'pull request' | 'customised subject';
  /** The name of the branch, tag, or environment. An environment's name is escaped as in the subject. */
  name: string;
}

/** A claim that must agree with a part of the subject. */
export interface RepeatedClaim {
  claim: string;
  agrees: (value: string) => boolean;
}

/**
 * An optional condition of a trusted workflow: the exact value of one claim. With `withoutRef`, the comparison ignores
 * the `@ref` at the end of the claim.
 */
export interface PinnedClaim {
  claim: string;
  withoutRef?: true;
}

/** The optional conditions that a trusted workflow can have in addition to its origin. */
export const pinNames = ['workflow_file', 'job_workflow', 'event_name', 'ref', 'ci_config'] as const;
export type PinName = (typeof pinNames)[number];
export type Pins = { [Name in PinName]?: string | undefined };

interface AnyProvider {
  /** Algorithms with which this issuer kind signs tokens (RFC 7518, section 3.1). */
  algorithms: readonly TokenAlgorithm[];
  /**
   * Returns the reason why an account cannot register this issuer with this issuer kind. Returns undefined if it can.
   */
  issuerFault(issuer: string): string | undefined;
  /** The page that explains this issuer kind to users, as a path below `docs`. */
  page: string;
}

/** A CI system whose subjects name a repository and the origin of a run. */
export interface RepositoryProvider extends AnyProvider {
  identifiedBy: 'repository';
  /** The types of origins that subjects of this CI system can name. */
  origins: readonly OriginKind[];
  /** The names of the claims that contain the repository's name, the IDs, and the environment's name. */
  claims: { repository: string; repository_id: string; repository_owner_id: string; environment: string };
  pins: { readonly [Name in PinName]?: PinnedClaim };
  /**
   * Returns the reason why no repository of the CI system has this name. Returns undefined if the name is valid. The
   * caller must reject wildcards before.
   */
  repositoryFault(repository: string): string | undefined;
  /** Returns the exact subject of tokens for runs of this origin. The caller must check the names before. */
  subject(origin: TrustedOrigin): string;
  /**
   * Parses the `sub` claim of a token, also in the forms that the service does not accept for a trusted workflow. Returns
   * undefined if the CI system creates no such subject.
   */
  parseSubject(subject: string): SubjectParts | undefined;
  /** Returns the origin as text. Equal origins have equal texts, so that the texts can be compared. */
  originKey(parts: Pick<SubjectParts, 'origin' | 'name'>): string;
  /** Returns the claims that must agree with the parts of the subject. */
  repeatedClaims(parts: SubjectParts): readonly RepeatedClaim[];
  /** Returns the repository's name as a user enters it to trust the repository. */
  repositoryWithIds(parts: Pick<SubjectParts, 'repository' | 'ids'>): string;
}

/** An issuer whose `sub` identifies the workload, together with other claims that the owner chooses. */
export interface SubjectProvider extends AnyProvider {
  identifiedBy: 'subject';
  /**
   * Returns the reason why no workload of this issuer kind has this subject. Returns undefined if the subject is valid.
   */
  subjectFault(subject: string): string | undefined;
  /**
   * Claims that only tokens of other issuer kinds have. A token with such a claim is refused, because its issuer was
   * registered with the wrong kind.
   */
  foreignClaims: readonly string[];
  /**
   * The names of the claims that contain the immutable IDs of a repository. The conditions of a trusted workload must
   * include both values.
   */
  idClaims?: RepositoryIds;
  /** Returns true if the subject belongs to a merge request, which may never sign in. */
  isMergeRequest?(subject: string): boolean;
}

/**
 * The rules for the identity tokens of one issuer kind. Only providers distinguish issuer kinds; all other code uses
 * these rules.
 */
export type CiProvider = RepositoryProvider | SubjectProvider;

export const tokenAlgorithms = ['RS256', 'ES256', 'ES384'] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/**
 * Converts only ASCII letters to lower case. The conversion of all letters would turn U+212A (Kelvin sign) into "k".
 */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function isSameName(a: string, b: string): boolean {
  return foldAscii(a) === foldAscii(b);
}

/**
 * Returns the reason why the issuer cannot have this issuer kind, or undefined. An issuer of GitHub or GitLab needs its
 * own kind, which parses repository names.
 */
export function reservedHostFault(issuer: string): string | undefined {
  const { hostname } = new URL(issuer);
  if (hostname === 'token.actions.githubusercontent.com') return 'must have the kind github';
  return hostname === 'gitlab.com' ? 'must have the kind gitlab' : undefined;
}
