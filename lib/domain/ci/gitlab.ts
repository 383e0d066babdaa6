import { type CiProvider, foldAscii } from './provider.ts';

const projectPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}){1,20}$/;
const subjectPattern = /^project_path:(?<project>[^:]+):ref_type:(?<type>branch|tag):ref:(?<ref>[^:]+)$/;

/** GitLab CI/CD, according to its documentation of ID tokens. */
export const gitlab: CiProvider = {
  origins: ['branch', 'tag'],

  repositoryFault(repository) {
    return projectPattern.test(repository) ? undefined : "must be <group>/<project>, as in the project's URL";
  },

  subject({ repository, branch, tag }) {
    return branch !== undefined
      ? `project_path:${repository}:ref_type:branch:ref:${branch}`
      : `project_path:${repository}:ref_type:tag:ref:${tag}`;
  },

  subjectKey(subject) {
    const parts = subjectPattern.exec(subject)?.groups;
    return parts === undefined
      ? subject
      : `project_path:${foldAscii(parts['project'] ?? '')}:ref_type:${parts['type']}:ref:${parts['ref']}`;
  },

  subjectRepository(subject) {
    const project = subjectPattern.exec(subject)?.groups?.['project'];
    return project === undefined
      ? undefined
      : { repository: project, repository_id: undefined, repository_owner_id: undefined };
  },

  subjectParts(subject) {
    const parts = subjectPattern.exec(subject)?.groups;
    if (parts === undefined) return undefined;
    const origin = parts['type'] === 'tag' ? 'tag' : 'branch';
    return { repository: parts['project'] ?? '', ids: undefined, origin, name: parts['ref'] ?? '' };
  },

  repositoryWithIds({ repository }) {
    return repository;
  },

  runClaims: {
    repository: 'project_path',
    repository_id: 'project_id',
    repository_owner_id: 'namespace_id',
    environment: undefined,
  },
};
