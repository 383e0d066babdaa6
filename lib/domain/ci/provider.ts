/** What a trusted workflow may name as the origin of its runs. */
export const originKinds = ['branch', 'tag', 'environment'] as const;
export type OriginKind = (typeof originKinds)[number];

/** What an owner names when trusting a workflow; exactly one of branch, tag and environment. */
export type TrustedOrigin = { repository: string } & { [Kind in OriginKind]?: string | undefined };

/** Of a token, who ran: names, and the CI system's numbers, which outlive a name. Undefined where it carries none. */
export interface RunClaims {
  repository: string | undefined;
  repository_id: string | undefined;
  repository_owner_id: string | undefined;
  environment: string | undefined;
}

export type SubjectRepository = Omit<RunClaims, 'environment' | 'repository'> & { repository: string };

/** A subject taken apart as far as it can be, to say how it differs from another. */
export interface SubjectParts {
  repository: string;
  /** `owner/repository`, where the subject carries both; `one side` where it carries one of them. */
  ids: string | undefined;
  origin: OriginKind | 'pull request' | 'customised subject';
  name: string;
}

/**
 * What Sluice knows of one CI system: how its identity tokens name a run. Everything that differs between CI systems is
 * said here; `providers.ts` has them all.
 */
export interface CiProvider {
  /** What its subjects can name. */
  origins: readonly OriginKind[];
  /** Why no repository of this CI system has such a name; undefined where one may. Wildcards never get here. */
  repositoryFault(repository: string): string | undefined;
  /** The one subject that its tokens carry for runs of this origin, whose names were checked before. */
  subject(origin: TrustedOrigin): string;
  /**
   * What is compared of a subject: names that the CI system itself takes without regard to ASCII case, folded; refs and
   * every subject of another form exactly.
   */
  subjectKey(subject: string): string;
  /** The repository that a subject of a known form names; undefined for any other subject. */
  subjectRepository(subject: string): SubjectRepository | undefined;
  /** Wider than what may be trusted; undefined for a subject that is not of this CI system at all. */
  subjectParts(subject: string): SubjectParts | undefined;
  /** How a repository is named to trust the subject that these are the parts of. */
  repositoryWithIds(parts: Pick<SubjectParts, 'repository' | 'ids'>): string;
  /** How it calls the claims beside the subject that say whose run it is; undefined for one that it has not. */
  runClaims: Readonly<Record<keyof RunClaims, string | undefined>>;
}
