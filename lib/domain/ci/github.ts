import { type CiProvider, foldAscii, type SubjectParts } from './provider.ts';

const repositoryPattern =
  /^[A-Za-z0-9_-]{1,100}(?<ownerId>@[1-9]\d{0,19})?\/(?!\.{1,2}(?:@|$))[A-Za-z0-9._-]{1,100}(?<repositoryId>@[1-9]\d{0,19})?$/;

// No part contains ":". A subject of a customized template continues after these parts, so this pattern does not match
// it.
const subjectPattern =
  /^repo:(?<owner>[^:/@]+)(?:@(?<ownerId>\d+))?\/(?<name>[^:/@]+)(?:@(?<repositoryId>\d+))?:(?<origin>ref:refs\/(?:heads|tags)\/[^:]+|environment:(?<environment>[^:]+))$/;
const anySubjectPattern =
  /^repo:(?<owner>[^:/@]+)(?:@(?<ownerId>\d+))?\/(?<name>[^:/@]+)(?:@(?<repositoryId>\d+))?:(?<rest>.+)$/s;

/** GitHub Actions, according to its documentation of `sub` and of immutable subjects. */
export const github: CiProvider = {
  origins: ['branch', 'tag', 'environment'],

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
    // GitHub escapes only the colon, which separates the parts of a subject.
    return `repo:${repository}:environment:${(environment ?? '').replaceAll(':', '%3A')}`;
  },

  subjectKey(subject) {
    const parts = subjectPattern.exec(subject)?.groups;
    if (parts === undefined) return subject;
    const repository = foldAscii(subject.slice(0, subject.length - (parts['origin'] ?? '').length));
    const environment = parts['environment'];
    return repository + (environment === undefined ? parts['origin'] : `environment:${foldEnvironment(environment)}`);
  },

  subjectRepository(subject) {
    const parts = subjectPattern.exec(subject)?.groups;
    return parts === undefined
      ? undefined
      : {
          repository: `${parts['owner']}/${parts['name']}`,
          repository_id: parts['repositoryId'],
          repository_owner_id: parts['ownerId'],
        };
  },

  subjectParts(subject) {
    const parts = anySubjectPattern.exec(subject)?.groups;
    if (parts === undefined) return undefined;
    const repository = `${parts['owner']}/${parts['name']}`;
    return { repository, ids: idsOf(parts['ownerId'], parts['repositoryId']), ...originOf(parts['rest'] ?? '') };
  },

  repositoryWithIds({ repository, ids }) {
    const [owner, name] = repository.split('/');
    const [ownerId, repositoryId] = ids?.split('/') ?? [];
    return repositoryId === undefined ? repository : `${owner}@${ownerId}/${name}@${repositoryId}`;
  },

  runClaims: {
    repository: 'repository',
    repository_id: 'repository_id',
    repository_owner_id: 'repository_owner_id',
    environment: 'environment',
  },
};

/** Folds the name but not percent-escapes: "%3a" may be part of the name, but "%3A" is GitHub's escaped colon. */
function foldEnvironment(environment: string): string {
  return environment.replace(/%[0-9A-Fa-f]{2}|[A-Z]/g, (part) => (part.length === 1 ? part.toLowerCase() : part));
}

function idsOf(ownerId: string | undefined, repositoryId: string | undefined): string | undefined {
  if (ownerId === undefined && repositoryId === undefined) return undefined;
  return ownerId === undefined || repositoryId === undefined ? 'one side' : `${ownerId}/${repositoryId}`;
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
