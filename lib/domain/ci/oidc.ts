import { reservedHostFault, type SubjectProvider } from './provider.ts';

/**
 * Any other OpenID Connect issuer: SPIFFE, Jenkins, AWS outbound identity federation, service accounts of Google
 * Cloud. GitHub and GitLab need issuer kinds of their own, because the rename of a repository changes their subjects.
 */
export const oidc: SubjectProvider = {
  identifiedBy: 'subject',
  algorithms: ['RS256', 'ES256', 'ES384'],
  page: 'clients/any-workload.md',
  issuerFault: reservedHostFault,
  subjectFault: () => undefined,
  foreignClaims: ['project_path', 'repository_owner_id'],
};
