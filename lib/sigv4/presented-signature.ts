import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { encodedParameters, headerValue, type SignableRequest } from './canonical.ts';
import { algorithm } from './sign.ts';

/** The signature of a request, parsed but not verified. */
export interface PresentedSignature {
  form: 'header' | 'query';
  access_key_id: string;
  /** The date of the credential scope, yyyymmdd. */
  date: string;
  region: string;
  service: string;
  signed_headers: readonly string[];
  /** The signature as 64 lower-case hex digits. */
  signature: string;
  /** The time in the form `yyyymmddThhmmssZ`, as signed. */
  amz_date: string;
  /** `amz_date` in milliseconds since the Unix epoch. */
  timestamp: number;
  /** The number of seconds for which a presigned URL is valid, counted from `timestamp`. */
  expires_seconds: number | undefined;
  session_token: string | undefined;
  /** The value of `x-amz-content-sha256`: a hash or the name of a payload mode. */
  payload_hash: string | undefined;
}

/**
 * Parses the signature of a request. Returns undefined for an anonymous request. Throws ServiceError `invalid_request`
 * for two signatures in one request. Throws `authorization_malformed` for any other text that is not a well-formed
 * Signature Version 4, including older signatures and other schemes. Treating this request as anonymous would hide the
 * client's mistake.
 */
export function readSignature(request: SignableRequest): PresentedSignature | undefined {
  const authorization = headerValue(request.headers, 'authorization');
  const parameters = signatureParameters(request.rawQuery);
  if (authorization !== undefined && parameters !== undefined) {
    throw new ServiceError(
      'invalid_request',
      'The request uses two ways of authenticating; send either an Authorization header or a presigned URL, not both.',
    );
  }
  if (authorization !== undefined) return readHeaderForm(request, authorization);
  return parameters === undefined ? undefined : readQueryForm(request, parameters);
}

function readHeaderForm({ headers }: SignableRequest, authorization: string): PresentedSignature {
  if (!authorization.startsWith(`${algorithm} `)) throw otherScheme();
  const fields = new Map<string, string>();
  for (const part of authorization.slice(algorithm.length + 1).split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    if (name === '' || fields.has(name)) throw malformed('Its Authorization header is not well formed.');
    fields.set(name, part.slice(equals + 1).trim());
  }
  return {
    form: 'header',
    ...readClaims(
      fields.get('Credential'),
      fields.get('SignedHeaders'),
      fields.get('Signature'),
      headerValue(headers, 'x-amz-date'),
    ),
    expires_seconds: undefined,
    session_token: headerValue(headers, 'x-amz-security-token'),
    payload_hash: headerValue(headers, 'x-amz-content-sha256'),
  };
}

function readQueryForm({ headers }: SignableRequest, parameters: ReadonlyMap<string, string>): PresentedSignature {
  if (parameters.get('X-Amz-Algorithm') !== algorithm) throw otherScheme();
  const expires = parameters.get('X-Amz-Expires') ?? '';
  const expiresSeconds = /^\d{1,6}$/.test(expires) ? Number(expires) : 0;
  if (expiresSeconds < 1 || expiresSeconds > limits.presignedLifeMaxSeconds) {
    throw malformed(`X-Amz-Expires must be 1 to ${limits.presignedLifeMaxSeconds} seconds.`);
  }
  return {
    form: 'query',
    ...readClaims(
      parameters.get('X-Amz-Credential'),
      parameters.get('X-Amz-SignedHeaders'),
      parameters.get('X-Amz-Signature'),
      parameters.get('X-Amz-Date'),
    ),
    expires_seconds: expiresSeconds,
    session_token: parameters.get('X-Amz-Security-Token') ?? headerValue(headers, 'x-amz-security-token'),
    payload_hash:
      headerValue(headers, 'x-amz-content-sha256') ?? parameters.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  };
}

function readClaims(
  credential: string | undefined,
  signedHeaders: string | undefined,
  signature: string | undefined,
  amzDate: string | undefined,
) {
  const [, access_key_id, date, region, service] =
    /^([^/]+)\/(\d{8})\/([^/]*)\/([^/]+)\/aws4_request$/.exec(credential ?? '') ?? [];
  if (access_key_id === undefined || date === undefined || region === undefined || service === undefined) {
    throw malformed('Its Credential must be <access key id>/<yyyymmdd>/<region>/<service>/aws4_request.');
  }
  if (signedHeaders === undefined || !/^[a-z0-9!#$%&'*+.^_`|~-]+(?:;[a-z0-9!#$%&'*+.^_`|~-]+)*$/.test(signedHeaders)) {
    throw malformed('Its SignedHeaders must be lower-case header names separated by semicolons.');
  }
  if (signature === undefined || !/^[0-9a-f]{64}$/.test(signature)) {
    throw malformed('Its Signature must be 64 lower-case hexadecimal digits.');
  }
  const timestamp = parseAmzDate(amzDate ?? '');
  if (amzDate === undefined || timestamp === undefined) {
    throw malformed('It needs x-amz-date (in a presigned URL X-Amz-Date) in the form yyyymmddThhmmssZ.');
  }
  return {
    access_key_id,
    date,
    region,
    service,
    signed_headers: signedHeaders.split(';'),
    signature,
    amz_date: amzDate,
    timestamp,
  };
}

/** Returns the decoded signature parameters, or undefined if the query has none. */
function signatureParameters(rawQuery: string): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  let repeated = false;
  for (const [name, value] of encodedParameters(rawQuery)) {
    if (!name.startsWith('X-Amz-') && name !== 'AWSAccessKeyId' && name !== 'Signature') continue;
    repeated ||= parameters.has(name);
    // Decode the value as ASCII, because all valid values of signature parameters are ASCII.
    parameters.set(name, decodeAscii(value));
  }
  if (parameters.has('AWSAccessKeyId') && parameters.has('Signature')) throw otherScheme();
  const authenticates = ['X-Amz-Signature', 'X-Amz-Algorithm', 'X-Amz-Credential'].some((name) => parameters.has(name));
  if (!authenticates) return undefined;
  // Reject a repeated parameter, because the proxy cannot know which value the client signed.
  if (repeated) throw malformed('One of its X-Amz- parameters is given twice.');
  return parameters;
}

function decodeAscii(encoded: string): string {
  return encoded.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Parses `yyyymmddThhmmssZ` to milliseconds since the Unix epoch. Returns undefined for any other text. */
export function parseAmzDate(text: string): number | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const timestamp = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(timestamp) ? undefined : timestamp;
}

function otherScheme(): ServiceError {
  return malformed(
    `Only AWS Signature Version 4 (${algorithm}) is accepted; set the client to it: the AWS CLI by \`aws configure set default.s3.signature_version s3v4\`, boto3 by Config(signature_version='s3v4').`,
  );
}

function malformed(reason: string): ServiceError {
  return new ServiceError('authorization_malformed', `The request's signature cannot be read. ${reason}`);
}
