import { basePath } from './operation.ts';

interface ProblemKind {
  status: number;
  title: string;
  /** The cause of the problem, for the reference page. */
  meaning: string;
  /** The action for a client. */
  remedy: string;
}

/** Returns the function that creates the problems of one status and title. */
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
 * The closed list of `code` in problem documents (RFC 9457). Sentences and titles may change. A code is never renamed
 * or removed, and its status never changes: test/contract has the list.
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
    'The URL holds a secret, and logs along the way store URLs.',
    'Send the secret in the `Authorization` header or in the body. Revoke it: the URL may have been logged.',
  ),
  invalid_request: invalid(
    'The request cannot be understood, for a reason that no field stands for.',
    'Follow the sentence in `detail`.',
  ),
  unauthenticated: problem(401, 'Authentication required')(
    'No valid identity came with the request: the `Authorization` header is missing, expired or not valid.',
    'Sign in again and send the new bearer token.',
  ),
  access_denied: notAllowed(
    'The caller is known and may not do this. The answer is the same whether the thing exists or not.',
    'Ask an owner of the account for access.',
  ),
  bearer_token_required: notAllowed(
    'An API key was sent, and this operation takes people only.',
    'Sign in and use a bearer token.',
  ),
  account_disabled: notAllowed("The caller's own account is disabled.", 'Ask an administrator to enable it.'),
  not_found: notFound(
    'There is no such thing. Only a caller who would have been allowed hears this.',
    'Check the ID; the thing may have been deleted or transferred.',
  ),
  route_not_found: notFound('No operation has this method and path.', 'Look up the operation in this reference.'),
  method_not_allowed: problem(405, 'Method not allowed')(
    'The path exists with other methods.',
    'Look up the operation in this reference.',
  ),
  account_exists: conflict(
    'The person who is signed in has a user account already.',
    'Use that account; `GET /whoami` names it.',
  ),
  account_id_taken: conflict('Another account has, or had, this ID. IDs are never given out again.', otherId),
  account_not_empty: conflict(
    'The account has repositories or service accounts, and only an empty one is deleted.',
    'Delete or transfer what `detail` names first.',
  ),
  adoption_required: conflict(
    'Objects of a deleted repository may lie where the new one begins, and this would publish them.',
    'Send `adopt_objects: true` if they are to be published; make the repository private otherwise.',
  ),
  already_member: conflict(
    'The account is invited or a member already.',
    'Change the role of that membership, or wait for the answer to the invitation.',
  ),
  already_offered: conflict(
    'The repository is offered to this account already.',
    'Wait for the answer, or withdraw that offer.',
  ),
  already_trusted: conflict('The service account trusts this workflow already.', 'Nothing has to be done.'),
  concurrent_change: conflict(
    'Something else changed it while the request ran. Nothing of the request was done.',
    again,
  ),
  data_connection_id_taken: conflict('Another data connection has this ID.', otherId),
  data_connection_refused: conflict(
    'The caller may not use the data connection that the repository is on, or it does not allow the data mode.',
    'Ask an administrator for the right to use it, or the owners for another data mode.',
  ),
  idempotency_in_progress: conflict(
    'The first request with this `Idempotency-Key` is still running.',
    'Send the same request again in a moment.',
  ),
  invitation_declined: conflict(
    'The account rejected an invitation in the last 24 hours, or blocks the account that invites.',
    'Invite again a day later, or ask the person.',
  ),
  last_owner: conflict('The organization would be left without an owner.', 'Make someone else an owner first.'),
  limit_reached: conflict(
    'There are as many as a limit allows; `detail` names the limit.',
    'Remove one first, or wait where the limit is one of time.',
  ),
  place_taken: conflict(
    'Another repository or connection has this storage prefix.',
    'Choose another base prefix, bucket or ID.',
  ),
  repository_id_taken: conflict('The account has a repository with this ID.', otherId),
  secret_shown_once: conflict(
    'The first request with this `Idempotency-Key` made a key, and its secret is not stored.',
    'If the answer was lost, revoke the key whose ID is `made_id` and create another.',
  ),
  service_account_id_taken: conflict('The account has a service account of this name.', 'Choose another name.'),
  wrong_state: conflict(
    'The thing is in a state that does not allow this: disabled, revoked, in use or of another kind.',
    'Follow the sentence in `detail`; it names the state.',
  ),
  stale: problem(412, 'Changed since it was read')(
    'Somebody changed it since the version that `If-Match` names. Nothing of the request was done.',
    again,
  ),
  payload_too_large: problem(413, 'Body too large')(
    'The body is larger than the operation takes.',
    'Send less; `detail` names the limit.',
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
    'Wait as many seconds as `Retry-After` says, a second without it, and try again with growing pauses.',
  ),
  internal: problem(500, 'Internal error')(
    'Something failed inside. The answer holds nothing but the request id.',
    'Try again. If it persists, give the `request_id` to whoever runs the service.',
  ),
  not_implemented: problem(501, 'Not implemented')('The service does not do this.', 'Follow the sentence in `detail`.'),
  unavailable: problem(503, 'Service unavailable')(
    'Something that the answer depends on cannot be reached just now.',
    'Try again in a few seconds.',
  ),
} satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/** Returns the `type` of the problem document: the URL of the explanation, relative to the API's URL. */
export function problemType(code: ProblemCode): string {
  return `${basePath}/docs#problem-${code}`;
}
