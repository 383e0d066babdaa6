/** Kinds of origins that a trusted workflow can name. */
export const originKinds = ['branch', 'tag', 'environment'] as const;
export type OriginKind = (typeof originKinds)[number];

/** The origin that an owner trusts, with exactly one of branch, tag, and environment. */
export type TrustedOrigin = { repository: string } & { [Kind in OriginKind]?: string | undefined };

/** Claims of a token that identify the run: names, and the CI system's numeric IDs, which do not change. */
export interface RunClaims {
  repository: string | undefined;
  repository_id: string | undefined;
  repository_owner_id: string | undefined;
  environment: string | undefined;
}

export type SubjectRepository = Omit<RunClaims, 'environment' | 'repository'> & { repository: string };

/** The parts of a subject, which explain how it differs from another subject. */
export interface SubjectParts {
  repository: string;
  /** `owner/repository` if the subject contains both IDs, and `one side` if it contains one of them. */
  ids: string | undefined;
  origin: OriginKind | 'pull request' | 'customised subject';
  name: string;
}

/** Rules for the identity tokens of one CI system. All differences between CI systems are here. */
export interface CiProvider {
  /** Kinds of origins that its subjects can name. */
  origins: readonly OriginKind[];
  /** Returns the reason why a name without wildcards is not valid for a repository of this CI system. */
  repositoryFault(repository: string): string | undefined;
  /** Returns the exact subject of its tokens for runs of this origin. The caller has already checked the names. */
  subject(origin: TrustedOrigin): string;
  /** Returns the form of a subject for comparison. Names that ignore the case of ASCII letters are folded. */
  subjectKey(subject: string): string;
  /** Returns the repository in a subject of a known form; undefined for any other subject. */
  subjectRepository(subject: string): SubjectRepository | undefined;
  /** Parses more forms than a user can trust. Returns undefined if the subject is not of this CI system. */
  subjectParts(subject: string): SubjectParts | undefined;
  /** Returns the name of the repository for a trusted workflow with this subject. */
  repositoryWithIds(parts: Pick<SubjectParts, 'repository' | 'ids'>): string;
  /** Names of the claims that identify the run; undefined if the CI system has no such claim. */
  runClaims: Readonly<Record<keyof RunClaims, string | undefined>>;
}

/** Converts only ASCII letters to lower case. Full conversion would turn U+212A (Kelvin) into "k". */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
