import { reservedHostFault, type SubjectProvider } from './provider.ts';

/**
 * Any other OpenID Connect issuer, such as SPIFFE, Jenkins, AWS outbound identity federation, or service accounts of
 * Google Cloud. GitHub and GitLab need issuer kinds of their own, because renaming a repository changes their subjects.
 */
export const oidc: SubjectProvider = {
  identifiedBy: 'subject',
  algorithms: ['RS256', 'ES256', 'ES384'],
  page: 'clients/any-workload.md',
  issuerFault: reservedHostFault,
  subjectFault: () => undefined,
  foreignClaims: ['project_path', 'repository_owner_id'],
};
