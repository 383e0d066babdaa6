import type { EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { type SessionRole, sessionRoles } from '../domain/secrets/session-credentials.ts';
import {
  isServiceAccountKeyShaped,
  isWellFormedServiceAccountKey,
  malformedKeyMessage,
} from '../domain/service-accounts/service-account-key.ts';

export interface RoleRequest {
  action: 'AssumeRoleWithWebIdentity';
  role: RequestedRole;
  session_name: string;
  /**
   * The requested duration of the credentials. If the request has none, the kind of identity determines the default.
   */
  duration_seconds: number | undefined;
  /** The identity to sign in with: a well-formed service account key (`key`), or any other text (`token`). */
  identity: { kind: 'key' | 'token'; token: string };
}

/**
 * URL paths of the credential exchange. Some clients ignore the path of the configured URL and send requests to `/`.
 */
const exchangePaths: ReadonlySet<string> = new Set(['/.sts', '/.sts/', '/']);

export type ExchangeRequest = RoleRequest | { action: 'GetCallerIdentity' };

/**
 * Parses an exchange request without reading data. The caller must already have rejected secrets in the URL. The
 * checks run in this order: form and size, checksum of a key, role, duration.
 */
export function parseExchangeRequest(request: EdgeRequest): ExchangeRequest {
  const fields = parseForm(readBody(request));
  if (fields.get('Version') !== '2011-06-15') throw new ServiceError('unknown_action', 'Version must be 2011-06-15');
  switch (fields.get('Action')) {
    case 'GetCallerIdentity':
      return { action: 'GetCallerIdentity' };
    case 'AssumeRoleWithWebIdentity':
      return parseRoleRequest(fields);
    default:
      throw new ServiceError('unknown_action', 'Action must be AssumeRoleWithWebIdentity or GetCallerIdentity');
  }
}

function readBody({ method, rawPath, rawQuery, headers, body }: EdgeRequest): Uint8Array {
  if (!exchangePaths.has(rawPath)) throw new ServiceError('not_found', 'The credential exchange is at /.sts');
  if (method !== 'POST')
    throw new ServiceError('method_not_allowed', 'The credential exchange takes POST requests only');
  if (rawQuery !== '')
    throw new ServiceError('invalid_request', 'Parameters must be sent in the request body, not the URL');
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isUtf8 = parameters.every((parameter) => /^(?:charset="?utf-8"?)?$/.test(parameter.trim()));
  if (mediaType.trim() !== 'application/x-www-form-urlencoded' || !isUtf8) {
    throw new ServiceError(
      'unsupported_media_type',
      'The request body must be a form: set content-type to application/x-www-form-urlencoded',
    );
  }
  if (body.truncated || body.bytes.length > limits.stsBodyBytesMax)
    throw new ServiceError('payload_too_large', `The request body must be at most ${limits.stsBodyBytesMax} bytes`);
  return body.bytes;
}

function parseRoleRequest(fields: ReadonlyMap<string, string>): RoleRequest {
  for (const name of fields.keys()) {
    // Reject a session policy. If the service ignored it, the credentials would have more rights than the caller
    // requested.
    if (/^Policy(?:Arns)?(?:\.|$)/i.test(name))
      throw new ServiceError(
        'session_policy_refused',
        'Session policies are not supported; leave out Policy and PolicyArns',
      );
  }
  const roleArn = required(fields, 'RoleArn');
  const session_name = required(fields, 'RoleSessionName');
  if (!/^[A-Za-z0-9_+=,.@-]{2,64}$/.test(session_name)) {
    throw new ServiceError(
      'invalid_request',
      'RoleSessionName must be 2 to 64 letters, digits and characters of _+=,.@-',
    );
  }
  // Remove white space: token files end in a newline, and some clients send it.
  const token = required(fields, 'WebIdentityToken').trim();
  if (token === '') throw new ServiceError('invalid_request', 'WebIdentityToken is empty; check the token file');
  const kind = isServiceAccountKeyShaped(token) ? 'key' : 'token';
  if (kind === 'key' && !isWellFormedServiceAccountKey(token))
    throw new ServiceError('invalid_identity_token', malformedKeyMessage);
  return {
    action: 'AssumeRoleWithWebIdentity',
    identity: { kind, token },
    session_name,
    role: parseRoleArn(roleArn),
    duration_seconds: parseDuration(fields.get('DurationSeconds')),
  };
}

function required(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw new ServiceError('invalid_request', `${name} is missing`);
  return value;
}

function parseDuration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds < limits.sessionDurationMinSeconds || seconds > limits.sessionDurationMaxSeconds) {
    throw new ServiceError(
      'invalid_request',
      `DurationSeconds must be a whole number from ${limits.sessionDurationMinSeconds} to ${limits.sessionDurationMaxSeconds}`,
    );
  }
  return seconds;
}

export interface RequestedRole {
  /** The ID of a service account or user account. The parser checks only its characters. */
  account_id: string;
  role: SessionRole;
}

/**
 * Parses a role ARN: `arn:<partition>:iam::<account_id>:role/<FullAccess|ReadOnly>`. Throws `invalid_request`, whose
 * message describes the problem.
 */
function parseRoleArn(arn: string): RequestedRole {
  // Limit the length of the account ID, because it becomes part of a table key even if no account has the ID.
  const parts = /^arn:(?:aws|aws-cn|aws-us-gov):iam::(?<account>[A-Za-z0-9_-]{1,128}):role\/(?<name>.{1,128})$/.exec(
    arn,
  );
  const account = parts?.groups?.['account'];
  if (account === undefined) {
    throw new ServiceError(
      'invalid_request',
      'RoleArn must be arn:aws:iam::<account ID>:role/FullAccess, or the same with ReadOnly',
    );
  }
  const role = sessionRoles.find((name) => name === parts?.groups?.['name']);
  if (role === undefined) {
    throw new ServiceError('invalid_request', 'RoleArn must name one of the roles FullAccess and ReadOnly');
  }
  return { account_id: account, role };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses an `application/x-www-form-urlencoded` body strictly. Throws `invalid_request` for a bad escape, invalid
 * UTF-8, or a repeated name, because two parsers could read these parts differently.
 */
export function parseForm(body: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const pair of decodeUtf8(body).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
    if (fields.has(name)) throw new ServiceError('invalid_request', 'A parameter must not be given twice');
    fields.set(name, equals < 0 ? '' : decodeField(pair.slice(equals + 1)));
  }
  return fields;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError('invalid_request', 'The body must be UTF-8');
  }
}

function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ServiceError('invalid_request', 'The body has a broken percent-escape');
  }
}
