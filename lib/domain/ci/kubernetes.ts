import { reservedHostFault, type SubjectProvider } from './provider.ts';

// Namespaces are DNS labels, and service account names are DNS subdomains (Kubernetes documentation, "Object Names and
// IDs").
const subjectPattern =
  /^system:serviceaccount:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Projected service account tokens of a Kubernetes cluster (documentation, "Service account token volume projection"). */
export const kubernetes: SubjectProvider = {
  identifiedBy: 'subject',
  algorithms: ['RS256', 'ES256', 'ES384'],
  page: 'clients/kubernetes.md',
  issuerFault: reservedHostFault,
  subjectFault: (subject) =>
    subjectPattern.test(subject)
      ? undefined
      : 'must be system:serviceaccount:<namespace>:<name> for a Kubernetes cluster',
  foreignClaims: ['project_path', 'repository_owner_id'],
};
