import { basePath } from './operation.ts';

interface ProblemKind {
  status: number;
  title: string;
  /** An explanation of the problem, which the reference page shows. */
  meaning: string;
  /** The action that a client should take. */
  remedy: string;
}

/** Returns a function that creates problems with the given status and title. */
function problem(status: number, title: string) {
  return (meaning: string, remedy: string): ProblemKind => ({ status, title, meaning, remedy });
}
const invalid = problem(400, 'Invalid request');
const notAllowed = problem(403, 'Not allowed');
const notFound = problem(404, 'Not found');
const conflict = problem(409, 'Conflict');

const again = 'Read it again and repeat your change if it still makes sense.';
const otherId = 'Choose another ID.';

/**
 * All values of `code` in problem documents (RFC 9457). Texts and titles may change. A code is never renamed or
 * removed, and its status never changes. The tests in test/contract contain the list.
 */
export const problems = {
  field_invalid: invalid(
    'A field of the path, the query or the body does not fit its schema.',
    'Correct each field that `errors` names by its path.',
  ),
  id_reserved: problem(400, 'Reserved ID')(
    'The ID is reserved: it is part of a URL, or it would mislead people about who publishes under it. `errors` names the reason.',
    'Choose another ID. Administrators can create accounts with an ID that is reserved because it misleads.',
  ),
  body_malformed: invalid('The body is not valid JSON.', 'Send the body as JSON.'),
  secret_in_url: invalid(
    'The URL contains a secret, and logs store URLs.',
    'Send the secret in the `Authorization` header or in the body. Revoke it: the URL may have been logged.',
  ),
  invalid_request: invalid(
    'The request is invalid, but no single field is the cause.',
    'Follow the advice in `detail`.',
  ),
  unauthenticated: problem(401, 'Authentication required')(
    'No valid identity came with the request: the `Authorization` header is missing, expired or not valid.',
    'Sign in again and send the new bearer token.',
  ),
  access_denied: notAllowed(
    'The caller may not do this. The response is the same whether the resource exists or not.',
    'Ask an owner of the account for access.',
  ),
  bearer_token_required: notAllowed(
    'The request has an API key, but this operation requires a signed-in user.',
    'Sign in and use a bearer token.',
  ),
  account_disabled: notAllowed("The caller's own account is disabled.", 'Ask an administrator to enable it.'),
  not_found: notFound(
    'The resource does not exist. Only callers with permission get this response.',
    'Check the ID. The resource may have been deleted or transferred.',
  ),
  route_not_found: notFound('No operation has this method and path.', 'Find the operation in this reference.'),
  method_not_allowed: problem(405, 'Method not allowed')(
    'The path exists, but not with this method.',
    'Find the operation in this reference.',
  ),
  account_exists: conflict('The signed-in user already has an account.', 'Use that account; `GET /whoami` names it.'),
  account_id_taken: conflict('Another account has, or had, this ID. IDs are never given out again.', otherId),
  account_not_empty: conflict(
    'The account has repositories or service accounts. Only an empty account can be deleted.',
    'Delete or transfer the resources in `detail` first.',
  ),
  adoption_required: conflict(
    'Objects of a deleted repository may exist under the prefix, and this would publish them.',
    'Send `adopt_objects: true` to publish them, or make the repository private.',
  ),
  already_member: conflict(
    'The account is already invited or a member.',
    'Change the role of that membership, or wait for the answer to the invitation.',
  ),
  already_offered: conflict(
    'A transfer request to this account is already open.',
    'Wait for the answer, or withdraw that request.',
  ),
  already_registered: conflict('The account has registered this issuer already.', 'No change is necessary.'),
  already_trusted: conflict('The service account already trusts this workflow.', 'No change is necessary.'),
  concurrent_change: conflict('Another request changed the resource at the same time. Nothing was changed.', again),
  data_connection_id_taken: conflict('Another data connection has this ID.', otherId),
  data_connection_refused: conflict(
    'The caller may not use the data connection that the repository is on, or it does not allow the data mode.',
    'Ask an administrator for permission to use it, or choose another data mode.',
  ),
  files_being_deleted: conflict(
    'The files of a deleted repository with this ID are being deleted.',
    'Wait until the deletion ends, or choose another ID. `GET /accounts/{account_id}/file-deletions` shows its progress.',
  ),
  idempotency_in_progress: conflict(
    'The first request with this `Idempotency-Key` is still running.',
    'Send the same request again in a few seconds.',
  ),
  invitation_declined: conflict(
    'The account rejected an invitation in the last 24 hours, or has blocked the inviting account.',
    'Invite the account again a day later, or contact its user.',
  ),
  issuer_unusable: conflict(
    "The issuer's discovery document or its keys could not be fetched, or they do not follow the rules.",
    'Correct the issuer as `detail` says, and send the request again.',
  ),
  last_owner: conflict('The organization would have no owner.', 'Give another member the role `owners` first.'),
  limit_reached: conflict(
    'A limit is reached. `detail` names it.',
    'Remove an item first. If the limit is per time, wait.',
  ),
  place_taken: conflict(
    'Another repository or connection has this storage prefix.',
    'Choose another base prefix, bucket or ID.',
  ),
  repository_id_taken: conflict('The account has a repository with this ID.', otherId),
  secret_shown_once: conflict(
    'The first request with this `Idempotency-Key` created a key, and the service does not store its secret.',
    'If the response was lost, revoke the key with the ID in `made_id` and create another.',
  ),
  service_account_id_taken: conflict('The account has a service account of this name.', 'Choose another name.'),
  version_name_taken: conflict('The repository has a version of this name, or had one.', 'Choose another name.'),
  wrong_state: conflict(
    'The state of the resource does not allow this: it is disabled, revoked, in use or of another kind.',
    'Follow the advice in `detail`. It names the state.',
  ),
  stale: problem(412, 'Changed since it was read')(
    'The resource changed after the version in `If-Match`. Nothing was changed.',
    again,
  ),
  payload_too_large: problem(413, 'Body too large')(
    'The body is larger than the operation allows.',
    'Send a smaller body. `detail` names the limit.',
  ),
  unsupported_media_type: problem(415, 'Body is not JSON')(
    'The body was not sent as `application/json`.',
    'Send `Content-Type: application/json`.',
  ),
  idempotency_mismatch: problem(422, 'Idempotency key used with another request')(
    'The `Idempotency-Key` belongs to a request with another path or body.',
    'Choose a new key for a new request.',
  ),
  throttled: problem(429, 'Too many requests')(
    'Too many requests came in a short time.',
    'Wait for the seconds in `Retry-After`, or one second without it. Increase the delay with each retry.',
  ),
  internal: problem(500, 'Internal error')(
    'The service failed. The response contains only the request id.',
    'Try again. If it fails again, send the `request_id` to the operator of the service.',
  ),
  not_implemented: problem(501, 'Not implemented')('The service does not do this.', 'Follow the advice in `detail`.'),
  unavailable: problem(503, 'Service unavailable')(
    'A service that the operation needs is unreachable.',
    'Try again in a few seconds.',
  ),
} satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/**
 * Returns the `type` of a problem document. It is the URL of the text that explains the problem, relative to the API's
 * URL.
 */
export function problemType(code: ProblemCode): string {
  return `${basePath}/docs#problem-${code}`;
}
