import type { InputFault } from '../errors.ts';
import { refNameFault } from './git-refs.ts';
import type { CiIssuer } from './issuers.ts';

/** What an owner names when trusting a workflow; exactly one of branch, tag and environment. */
export interface TrustedOrigin {
  repository: string;
  branch?: string | undefined;
  tag?: string | undefined;
  environment?: string | undefined;
}

export type TrustedSubject = { ok: true; subject: string; subject_key: string } | { ok: false; fault: InputFault };

/** Longer subjects are neither trusted nor looked up: the store keeps them in a key of at most 1,024 bytes. */
export const subjectBytesMax = 700;

const environmentLengthMax = 255;

const githubRepositoryPattern =
  /^[A-Za-z0-9_-]{1,100}(?<ownerId>@[1-9]\d{0,19})?\/(?!\.{1,2}(?:@|$))[A-Za-z0-9._-]{1,100}(?<repositoryId>@[1-9]\d{0,19})?$/;
const gitlabProjectPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}){1,20}$/;

// A subject made by a customised template goes on after these parts and so is not of a known form: no part holds ":".
const githubSubjectPattern =
  /^repo:(?<owner>[^:/@]+)(?:@(?<ownerId>\d+))?\/(?<name>[^:/@]+)(?:@(?<repositoryId>\d+))?:(?<origin>ref:refs\/(?:heads|tags)\/[^:]+|environment:(?<environment>[^:]+))$/;
const gitlabSubjectPattern = /^project_path:(?<project>[^:]+):ref_type:(?<type>branch|tag):ref:(?<ref>[^:]+)$/;

/**
 * The one subject that the issuer's tokens carry for runs of this origin (spec, "Trusted CI workflow"; the issuers'
 * own documentation of `sub`), and the key under which it is compared.
 */
export function trustedSubject(issuer: Pick<CiIssuer, 'kind'>, origin: TrustedOrigin): TrustedSubject {
  const fault = repositoryFault(issuer.kind, origin.repository) ?? originFault(issuer.kind, origin);
  if (fault !== undefined) return { ok: false, fault };
  const subject = issuer.kind === 'github' ? githubSubject(origin) : gitlabSubject(origin);
  if (Buffer.byteLength(subject) > subjectBytesMax)
    return refused('', `is too long: repository and name together may take ${subjectBytesMax} bytes`);
  return { ok: true, subject, subject_key: subjectKey(issuer, subject) };
}

/**
 * What is compared of a subject: owner, repository and environment without regard to ASCII case, since the CI systems
 * have one of each whatever its spelling; refs and every subject of another form exactly. Folding stops at ASCII: full
 * lower-casing would turn U+212A into "k" and let a look-alike name pass.
 */
export function subjectKey(issuer: Pick<CiIssuer, 'kind'>, subject: string): string {
  if (issuer.kind === 'gitlab') {
    const parts = gitlabSubjectPattern.exec(subject)?.groups;
    return parts === undefined
      ? subject
      : `project_path:${foldAscii(parts['project'] ?? '')}:ref_type:${parts['type']}:ref:${parts['ref']}`;
  }
  const parts = githubSubjectPattern.exec(subject)?.groups;
  if (parts === undefined) return subject;
  const repository = foldAscii(subject.slice(0, subject.length - (parts['origin'] ?? '').length));
  const environment = parts['environment'];
  return repository + (environment === undefined ? parts['origin'] : `environment:${foldEnvironment(environment)}`);
}

/** The repository that a subject of a known form names, ids where it carries them; undefined for any other subject. */
export function subjectRepository(
  issuer: Pick<CiIssuer, 'kind'>,
  subject: string,
): { repository: string; repository_id: string | undefined; repository_owner_id: string | undefined } | undefined {
  if (issuer.kind === 'gitlab') {
    const project = gitlabSubjectPattern.exec(subject)?.groups?.['project'];
    return project === undefined
      ? undefined
      : { repository: project, repository_id: undefined, repository_owner_id: undefined };
  }
  const parts = githubSubjectPattern.exec(subject)?.groups;
  if (parts === undefined) return undefined;
  return {
    repository: `${parts['owner']}/${parts['name']}`,
    repository_id: parts['repositoryId'],
    repository_owner_id: parts['ownerId'],
  };
}

export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Percent-escapes stay as they come: "%3a" may be a name's own characters, where "%3A" is GitHub's escaped colon. */
function foldEnvironment(environment: string): string {
  return environment.replace(/%[0-9A-Fa-f]{2}|[A-Z]/g, (part) => (part.length === 1 ? part.toLowerCase() : part));
}

function repositoryFault(kind: CiIssuer['kind'], repository: string): InputFault | undefined {
  if (/[*?]/.test(repository)) return { path: 'repository', message: wildcardMessage };
  if (/\.git$/i.test(repository)) return { path: 'repository', message: 'must be given without ".git"' };
  if (kind === 'gitlab') {
    return gitlabProjectPattern.test(repository)
      ? undefined
      : { path: 'repository', message: "must be <group>/<project>, as in the project's address" };
  }
  const ids = githubRepositoryPattern.exec(repository);
  if (ids === null) {
    return {
      path: 'repository',
      message: 'must be <owner>/<repo>, or <owner>@<numeric id>/<repo>@<numeric id>',
    };
  }
  if ((ids.groups?.['ownerId'] === undefined) !== (ids.groups?.['repositoryId'] === undefined))
    return {
      path: 'repository',
      message: 'must have a numeric id on both sides, <owner>@<id>/<repo>@<id>, or on neither',
    };
  return undefined;
}

function originFault(kind: CiIssuer['kind'], { branch, tag, environment }: TrustedOrigin): InputFault | undefined {
  const given = [branch, tag, environment].filter((name) => name !== undefined);
  if (given.length !== 1) return { path: '', message: 'must name exactly one of branch, tag and environment' };
  if (branch !== undefined) return nameFault('branch', branch, refNameFault(branch));
  if (tag !== undefined) return nameFault('tag', tag, refNameFault(tag));
  if (kind === 'gitlab')
    return { path: 'environment', message: "is not part of this issuer's subjects; trust a branch or a tag instead" };
  return nameFault('environment', environment ?? '', environmentFault(environment ?? ''));
}

const wildcardMessage =
  'must be one whole name: wildcards are not supported; trust each further one with a workflow of its own';

function nameFault(path: string, name: string, message: string | undefined): InputFault | undefined {
  if (name === '') return { path, message: 'must not be empty' };
  if (name.includes('*')) return { path, message: wildcardMessage };
  return message === undefined ? undefined : { path, message };
}

function environmentFault(environment: string): string | undefined {
  // Both stand in the way of reading what is trusted: invisible characters, and half a surrogate pair.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(environment) || !environment.isWellFormed())
    return 'must not hold control characters or broken Unicode';
  if (environment.trim() !== environment) return 'must not start or end with white space';
  if (environment.length > environmentLengthMax) return `must be at most ${environmentLengthMax} characters`;
  return undefined;
}

function githubSubject({ repository, branch, tag, environment }: TrustedOrigin): string {
  if (branch !== undefined) return `repo:${repository}:ref:refs/heads/${branch}`;
  if (tag !== undefined) return `repo:${repository}:ref:refs/tags/${tag}`;
  // GitHub escapes the colon, which divides the parts of a subject, and nothing else.
  return `repo:${repository}:environment:${(environment ?? '').replaceAll(':', '%3A')}`;
}

function gitlabSubject({ repository, branch, tag }: TrustedOrigin): string {
  return branch !== undefined
    ? `project_path:${repository}:ref_type:branch:ref:${branch}`
    : `project_path:${repository}:ref_type:tag:ref:${tag}`;
}

function refused(path: string, message: string): TrustedSubject {
  return { ok: false, fault: { path, message } };
}
