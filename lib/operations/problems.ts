import { basePath } from './operation.ts';

interface ProblemKind {
  status: number;
  title: string;
  /** The cause of the problem, for the reference page. */
  meaning: string;
  /** The action for a client. */
  remedy: string;
}

const again = 'Read it again and repeat your change if it still makes sense.';
const otherId = 'Choose another ID.';

/**
 * The closed list of `code` in problem documents (RFC 9457). Sentences and titles may change. A code is never renamed
 * or removed, and its status never changes: test/contract has the list.
 */
export const problems = {
  field_invalid: {
    status: 400,
    title: 'Invalid request',
    meaning: 'A field of the path, the query or the body does not fit its schema.',
    remedy: 'Correct each field that `errors` names by its path.',
  },
  id_reserved: {
    status: 400,
    title: 'Reserved ID',
    meaning:
      'The ID is reserved: it is part of a URL, or it would mislead people about who publishes under it. `errors` names the reason.',
    remedy: 'Choose another ID. Administrators can create accounts with an ID that is reserved because it misleads.',
  },
  body_malformed: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The body is not valid JSON.',
    remedy: 'Send the body as JSON.',
  },
  secret_in_url: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The URL holds a secret, and logs along the way store URLs.',
    remedy: 'Send the secret in the `Authorization` header or in the body. Revoke it: the URL may have been logged.',
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The request cannot be understood, for a reason that no field stands for.',
    remedy: 'Follow the sentence in `detail`.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    meaning: 'No valid identity came with the request: the `Authorization` header is missing, expired or not valid.',
    remedy: 'Sign in again and send the new bearer token.',
  },
  access_denied: {
    status: 403,
    title: 'Not allowed',
    meaning: 'The caller is known and may not do this. The answer is the same whether the thing exists or not.',
    remedy: 'Ask an owner of the account for access.',
  },
  bearer_token_required: {
    status: 403,
    title: 'Not allowed',
    meaning: 'An API key was sent, and this operation takes people only.',
    remedy: 'Sign in and use a bearer token.',
  },
  account_disabled: {
    status: 403,
    title: 'Not allowed',
    meaning: "The caller's own account is disabled.",
    remedy: 'Ask an administrator to enable it.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such thing. Only a caller who would have been allowed hears this.',
    remedy: 'Check the ID; the thing may have been deleted or transferred.',
  },
  route_not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'No operation has this method and path.',
    remedy: 'Look up the operation in this reference.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists with other methods.',
    remedy: 'Look up the operation in this reference.',
  },
  account_exists: {
    status: 409,
    title: 'Conflict',
    meaning: 'The person who is signed in has a user account already.',
    remedy: 'Use that account; `GET /whoami` names it.',
  },
  account_id_taken: {
    status: 409,
    title: 'Conflict',
    meaning: 'Another account has, or had, this ID. IDs are never given out again.',
    remedy: otherId,
  },
  account_not_empty: {
    status: 409,
    title: 'Conflict',
    meaning: 'The account has repositories or service accounts, and only an empty one is deleted.',
    remedy: 'Delete or transfer what `detail` names first.',
  },
  adoption_required: {
    status: 409,
    title: 'Conflict',
    meaning: 'Objects of a deleted repository may lie where the new one begins, and this would publish them.',
    remedy: 'Send `adopt_objects: true` if they are to be published; make the repository private otherwise.',
  },
  already_member: {
    status: 409,
    title: 'Conflict',
    meaning: 'The account is invited or a member already.',
    remedy: 'Change the role of that membership, or wait for the answer to the invitation.',
  },
  already_offered: {
    status: 409,
    title: 'Conflict',
    meaning: 'The repository is offered to this account already.',
    remedy: 'Wait for the answer, or withdraw that offer.',
  },
  already_trusted: {
    status: 409,
    title: 'Conflict',
    meaning: 'The service account trusts this workflow already.',
    remedy: 'Nothing has to be done.',
  },
  concurrent_change: {
    status: 409,
    title: 'Conflict',
    meaning: 'Something else changed it while the request ran. Nothing of the request was done.',
    remedy: again,
  },
  data_connection_id_taken: {
    status: 409,
    title: 'Conflict',
    meaning: 'Another data connection has this ID.',
    remedy: otherId,
  },
  data_connection_refused: {
    status: 409,
    title: 'Conflict',
    meaning:
      'The caller may not use the data connection that the repository is on, or it does not allow the data mode.',
    remedy: 'Ask an administrator for the right to use it, or the owners for another data mode.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Conflict',
    meaning: 'The first request with this `Idempotency-Key` is still running.',
    remedy: 'Send the same request again in a moment.',
  },
  invitation_declined: {
    status: 409,
    title: 'Conflict',
    meaning: 'The account rejected an invitation in the last 24 hours, or blocks the account that invites.',
    remedy: 'Invite again a day later, or ask the person.',
  },
  last_owner: {
    status: 409,
    title: 'Conflict',
    meaning: 'The organization would be left without an owner.',
    remedy: 'Make someone else an owner first.',
  },
  limit_reached: {
    status: 409,
    title: 'Conflict',
    meaning: 'There are as many as a limit allows; `detail` names the limit.',
    remedy: 'Remove one first, or wait where the limit is one of time.',
  },
  place_taken: {
    status: 409,
    title: 'Conflict',
    meaning: 'Another repository or connection has this place in the storage.',
    remedy: 'Choose another base prefix, bucket or ID.',
  },
  repository_id_taken: {
    status: 409,
    title: 'Conflict',
    meaning: 'The account has a repository with this ID.',
    remedy: otherId,
  },
  secret_shown_once: {
    status: 409,
    title: 'Conflict',
    meaning: 'The first request with this `Idempotency-Key` made a key, and its secret is not stored.',
    remedy: 'If the answer was lost, revoke the key whose ID is `made_id` and create another.',
  },
  service_account_id_taken: {
    status: 409,
    title: 'Conflict',
    meaning: 'The account has a service account of this name.',
    remedy: 'Choose another name.',
  },
  wrong_state: {
    status: 409,
    title: 'Conflict',
    meaning: 'The thing is in a state that does not allow this: disabled, revoked, in use or of another kind.',
    remedy: 'Follow the sentence in `detail`; it names the state.',
  },
  stale: {
    status: 412,
    title: 'Changed since it was read',
    meaning: 'Somebody changed it since the version that `If-Match` names. Nothing of the request was done.',
    remedy: again,
  },
  payload_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'The body is larger than the operation takes.',
    remedy: 'Send less; `detail` names the limit.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Body is not JSON',
    meaning: 'The body was not sent as `application/json`.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency key used with another request',
    meaning: 'The `Idempotency-Key` belongs to a request with another path or body.',
    remedy: 'Choose a new key for a new request.',
  },
  throttled: {
    status: 429,
    title: 'Too many requests',
    meaning: 'Too many requests came in a short time.',
    remedy: 'Wait as many seconds as `Retry-After` says, a second without it, and try again with growing pauses.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something failed inside. The answer holds nothing but the request id.',
    remedy: 'Try again. If it persists, give the `request_id` to whoever runs the service.',
  },
  not_implemented: {
    status: 501,
    title: 'Not implemented',
    meaning: 'The service does not do this.',
    remedy: 'Follow the sentence in `detail`.',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    meaning: 'Something that the answer depends on cannot be reached just now.',
    remedy: 'Try again in a few seconds.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/**
 * Returns the `type` of the problem document: the URL of the explanation on the reference page, relative to the API's
 * URL.
 */
export function problemType(code: ProblemCode): string {
  return `${basePath}/docs#problem-${code}`;
}
