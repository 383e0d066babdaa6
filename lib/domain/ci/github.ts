import { foldAscii, isSameName, type RepositoryProvider, type SubjectParts } from './provider.ts';

const repositoryPattern =
  /^[A-Za-z0-9_-]{1,100}(?<ownerId>@[1-9]\d{0,19})?\/(?!\.{1,2}(?:@|$))[A-Za-z0-9._-]{1,100}(?<repositoryId>@[1-9]\d{0,19})?$/;

const subjectPattern =
  /^repo:(?<owner>[^:/@]+)(?:@(?<ownerId>\d+))?\/(?<name>[^:/@]+)(?:@(?<repositoryId>\d+))?:(?<rest>.+)$/s;

/**
 * GitHub Actions and GitHub Enterprise Server. The rules follow GitHub's documentation of the claim `sub` and of
 * immutable subjects.
 */
export const github: RepositoryProvider = {
  identifiedBy: 'repository',
  algorithms: ['RS256'],
  page: 'clients/a-ci-job.md',
  origins: ['branch', 'tag', 'environment'],

  issuerFault(issuer) {
    const { hostname, pathname } = new URL(issuer);
    const isCloud =
      hostname === 'token.actions.githubusercontent.com' || /^token\.actions\.[a-z0-9-]+\.ghe\.com$/.test(hostname);
    return isCloud || pathname === '/_services/token'
      ? undefined
      : 'must be https://token.actions.githubusercontent.com, or https://<host>/_services/token of GitHub Enterprise Server';
  },

  claims: {
    repository: 'repository',
    repository_id: 'repository_id',
    repository_owner_id: 'repository_owner_id',
    environment: 'environment',
  },

  pins: {
    workflow_file: { claim: 'workflow_ref', withoutRef: true },
    job_workflow: { claim: 'job_workflow_ref' },
    event_name: { claim: 'event_name' },
    ref: { claim: 'ref' },
  },

  repositoryFault(repository) {
    const ids = repositoryPattern.exec(repository);
    if (ids === null) return 'must be <owner>/<repo>, or <owner>@<numeric id>/<repo>@<numeric id>';
    return (ids.groups?.['ownerId'] === undefined) === (ids.groups?.['repositoryId'] === undefined)
      ? undefined
      : 'must have a numeric id on both sides, <owner>@<id>/<repo>@<id>, or on neither';
  },

  subject({ repository, branch, tag, environment }) {
    if (branch !== undefined) return `repo:${repository}:ref:refs/heads/${branch}`;
    if (tag !== undefined) return `repo:${repository}:ref:refs/tags/${tag}`;
    return `repo:${repository}:environment:${escapeEnvironment(environment ?? '')}`;
  },

  parseSubject(subject) {
    const parts = subjectPattern.exec(subject)?.groups;
    if (parts === undefined) return undefined;
    return {
      repository: `${parts['owner']}/${parts['name']}`,
      ids: { repository_id: parts['repositoryId'], repository_owner_id: parts['ownerId'] },
      ...originOf(parts['rest'] ?? ''),
    };
  },

  originKey({ origin, name }) {
    return `${origin}:${origin === 'environment' ? foldEnvironment(name) : name}`;
  },

  repeatedClaims({ repository, ids, origin, name }) {
    const owner = repository.split('/')[0] ?? '';
    const refs = { branch: `refs/heads/${name}`, tag: `refs/tags/${name}` };
    return [
      { claim: 'repository', agrees: (value) => isSameName(value, repository) },
      { claim: 'repository_owner', agrees: (value) => isSameName(value, owner) },
      { claim: 'repository_id', agrees: (value) => value === (ids.repository_id ?? value) },
      { claim: 'repository_owner_id', agrees: (value) => value === (ids.repository_owner_id ?? value) },
      {
        claim: 'environment',
        agrees: (value) => origin !== 'environment' || isSameName(escapeEnvironment(value), name),
      },
      { claim: 'ref', agrees: (value) => (origin !== 'branch' && origin !== 'tag') || value === refs[origin] },
    ];
  },

  repositoryWithIds({ repository, ids: { repository_id, repository_owner_id } }) {
    const [owner, name] = repository.split('/');
    return repository_id === undefined || repository_owner_id === undefined
      ? repository
      : `${owner}@${repository_owner_id}/${name}@${repository_id}`;
  },
};

/**
 * Escapes an environment's name as GitHub does in a subject: only the colon, which separates the parts of a subject.
 */
function escapeEnvironment(environment: string): string {
  return environment.replaceAll(':', '%3A');
}

/**
 * Converts the name of an environment to lower case, but not its percent-escapes. The name itself may contain "%3a",
 * but "%3A" is the colon that GitHub escaped.
 */
function foldEnvironment(environment: string): string {
  return environment.replace(/%[0-9A-Fa-f]{2}|[A-Z]/g, (part) => (part.length === 1 ? foldAscii(part) : part));
}

const origins: readonly (readonly [SubjectParts['origin'], RegExp])[] = [
  ['branch', /^ref:refs\/heads\/([^:]+)$/],
  ['tag', /^ref:refs\/tags\/([^:]+)$/],
  ['environment', /^environment:([^:]+)$/],
  ['pull request', /^(pull_request|ref:refs\/pull\/[^:]+)$/],
];

function originOf(rest: string): Pick<SubjectParts, 'origin' | 'name'> {
  for (const [origin, pattern] of origins) {
    const name = pattern.exec(rest)?.[1];
    if (name !== undefined) return { origin, name };
  }
  return { origin: 'customised subject', name: rest };
}
