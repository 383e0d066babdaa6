import { reservedHostFault, type SubjectProvider } from './provider.ts';

// Matches a token's subject without the IDs. The subject of a newer repository can end with a hyphen and its ID, but
// the name of another repository can end in the same way. The service therefore reads the IDs only from the claims.
const subjectPattern = /^repo:[^:/]+\/[^:/]+:ref:refs\/(?:heads|tags)\/[^:]+$/;

/**
 * Forgejo Actions (documentation, "Security OpenID Connect"). Older Forgejo releases send no `repository_id` and
 * `repository_owner_id`. Register their issuer with the kind `oidc` instead.
 */
export const forgejo: SubjectProvider = {
  identifiedBy: 'subject',
  algorithms: ['RS256', 'ES256', 'ES384'],
  page: 'clients/a-forgejo-job.md',
  issuerFault: (issuer) =>
    reservedHostFault(issuer) ??
    (issuer.endsWith('/api/actions') ? undefined : 'must be <URL of the host>/api/actions for Forgejo'),
  subjectFault: (subject) =>
    subjectPattern.test(subject)
      ? undefined
      : 'must be repo:<owner>/<repository>:ref:refs/heads/<branch>, or the same with refs/tags/<tag>',
  foreignClaims: ['project_path'],
  idClaims: { repository_id: 'repository_id', repository_owner_id: 'repository_owner_id' },
  isMergeRequest: (subject) => subject.startsWith('repo:') && subject.endsWith(':pull_request'),
};
