import { isSameName, type RepositoryProvider } from './provider.ts';

const projectPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}){1,20}$/;
const subjectPattern = /^project_path:(?<project>[^:]+):ref_type:(?<type>branch|tag):ref:(?<ref>[^:]+)$/;

/** GitLab CI/CD. The rules follow GitLab's documentation of ID tokens. */
export const gitlab: RepositoryProvider = {
  identifiedBy: 'repository',
  algorithms: ['RS256'],
  page: 'clients/a-gitlab-job.md',
  origins: ['branch', 'tag'],

  issuerFault: () => undefined,

  claims: {
    repository: 'project_path',
    repository_id: 'project_id',
    repository_owner_id: 'namespace_id',
    environment: 'environment',
  },

  pins: { ci_config: { claim: 'ci_config_ref_uri', withoutRef: true } },

  repositoryFault(repository) {
    return projectPattern.test(repository) ? undefined : "must be <group>/<project>, as in the project's URL";
  },

  subject({ repository, branch, tag }) {
    return branch !== undefined
      ? `project_path:${repository}:ref_type:branch:ref:${branch}`
      : `project_path:${repository}:ref_type:tag:ref:${tag}`;
  },

  parseSubject(subject) {
    const parts = subjectPattern.exec(subject)?.groups;
    if (parts === undefined) return undefined;
    return {
      repository: parts['project'] ?? '',
      ids: { repository_id: undefined, repository_owner_id: undefined },
      origin: parts['type'] === 'tag' ? 'tag' : 'branch',
      name: parts['ref'] ?? '',
    };
  },

  originKey: ({ origin, name }) => `${origin}:${name}`,

  repeatedClaims: ({ repository, origin, name }) => [
    { claim: 'project_path', agrees: (value) => isSameName(value, repository) },
    { claim: 'ref_type', agrees: (value) => value === origin },
    { claim: 'ref', agrees: (value) => value === name },
  ],

  repositoryWithIds: ({ repository }) => repository,
};
