import { AwsV4Signer } from 'aws4fetch';
import { xmlText } from '../../lib/domain/xml.ts';
import { abortable } from './concurrency.ts';
import type { CredentialSource, DataCredentials } from './credentials.ts';
import { DataError, type DataErrorKind, isDataError } from './data-error.ts';
import { pathOfKey, type RepositoryPath } from './keys.ts';
import type { IncomingAnswer, Transport } from './transport.ts';
import { readAnswerXml } from './xml.ts';

export interface SenderOptions {
  /** The URL of the data proxy, without a final slash. */
  dataUrl: string;
  location: RepositoryPath;
  credentials: CredentialSource;
  transport: Transport;
  now?: () => number;
  random?: () => number;
  /**
   * Waits for at most `ms` milliseconds before the next attempt. Resolves with `reset` to set the count of attempts
   * back to zero. Rejects with the signal's reason.
   */
  wait?: (ms: number, signal: AbortSignal) => Promise<'reset' | undefined>;
  /** Called with false when no response arrives, and with true when a response arrives. */
  onConnection?: (isThere: boolean) => void;
  /** Called with `busy` before each wait for a busy service. Called with undefined when the request ends. */
  onBusy?: (request: DataRequest, busy: BusyRequest | undefined) => void;
}

/** A request that waits for its next attempt because the service is busy. */
export interface BusyRequest {
  /** The number of attempts that the busy service has refused. */
  tries: number;
  waitMs: number;
}

export interface DataRequest {
  /** The first words of error messages, such as `The upload` or `The list`. */
  what: string;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The key in the repository. Undefined for requests to the bucket of the account, such as lists. */
  key?: string | undefined;
  query?: Readonly<Record<string, string | undefined>>;
  headers?: Readonly<Record<string, string>>;
  body?: Blob | string | undefined;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
  /**
   * The maximum number of attempts without a response. If undefined, the request waits for the connection without
   * limit.
   */
  networkTries?: number;
}

export type Sender = (request: DataRequest) => Promise<IncomingAnswer>;

/**
 * The reason why an attempt failed. It decides whether the request is retried. After `final`, the request fails at
 * once.
 */
type Trouble = 'offline' | 'busy' | 'broken' | 'credentials' | 'clock' | 'final';

interface Failure {
  trouble: Trouble;
  error: DataError;
  /** The service's current time, and the delay before a retry that the service asks for. */
  serverNow?: number;
  retryAfterMs?: number | undefined;
}

/** The maximum number of attempts for each reason of failure. */
const triesMax = { busy: 8, broken: 3, credentials: 3, clock: 2, final: 1 };

/**
 * Creates a function that signs requests to one repository and retries them. The function rejects with a DataError, or
 * with the signal's reason.
 */
export function createSender(options: SenderOptions): Sender {
  const { credentials, transport, now = Date.now, random = Math.random, wait = waitFor } = options;
  const { onConnection = () => undefined, onBusy = () => undefined } = options;
  const signingKeys = new Map<string, ArrayBuffer>();
  let clockAheadMs: number | undefined;

  async function attempt(request: DataRequest, held: DataCredentials): Promise<IncomingAnswer | Failure> {
    const { what, method, body, signal, onSent } = request;
    const time = now() + (clockAheadMs ?? held.clockAheadMs);
    const signed = await sign({ ...(await signable(request, options)), cache: signingKeys }, held, time);
    const answer = await transport({ method, ...signed, body, signal, onSent }).catch((cause: unknown) => {
      throw new DataError('offline', 'The service does not answer. Check your connection.', { cause });
    });
    onConnection(true);
    return answer.status < 300 ? answer : failureOf(answer, what);
  }

  async function answered(request: DataRequest): Promise<IncomingAnswer> {
    const { signal, body, networkTries = Number.POSITIVE_INFINITY } = request;
    const tries = { offline: 0, busy: 0, broken: 0, credentials: 0, clock: 0, final: 0 };
    let refused: DataCredentials | undefined;
    for (;;) {
      signal.throwIfAborted();
      let outcome: IncomingAnswer | Failure;
      try {
        const held = await (refused ? credentials.renew(refused, signal) : credentials.current(signal));
        outcome = await attempt(request, held);
        if ('status' in outcome) return outcome;
        refused = outcome.trouble === 'credentials' ? held : undefined;
        tries.offline = 0;
      } catch (error) {
        signal.throwIfAborted();
        if (!isDataError(error, 'offline', 'busy')) throw error;
        outcome = { trouble: error.kind, error };
      }
      const { trouble } = outcome;
      tries[trouble] += 1;
      if (trouble === 'offline') {
        // `fetch` fails in the same way for a lost connection and for a file that changed on the disk. In the second
        // case a retry cannot succeed. This read throws for a changed file, so the request ends.
        if (body instanceof Blob) await body.slice(0, 1).arrayBuffer();
        onConnection(false);
      }
      if (tries[trouble] >= (trouble === 'offline' ? networkTries : triesMax[trouble])) throw outcome.error;
      if (outcome.serverNow !== undefined) clockAheadMs = outcome.serverNow - now();
      if (trouble === 'credentials' || trouble === 'clock') continue;
      const waitMs = outcome.retryAfterMs ?? backOffMs(tries[trouble], random);
      if (trouble === 'busy') onBusy(request, { tries: tries.busy, waitMs });
      if ((await wait(waitMs, signal)) === 'reset') tries[trouble] = 0;
    }
  }

  return (request) => answered(request).finally(() => onBusy(request, undefined));
}

async function signable({ method, key, query = {}, headers, body }: DataRequest, { dataUrl, location }: SenderOptions) {
  const path = key === undefined ? '' : `/${location.repository_id}/${pathOfKey(key)}`;
  // Encode spaces as `%20`, not as `+`. Some parsers read `+` as a space, and others as a plus sign.
  const search = Object.entries(query)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join('&');
  return {
    method,
    url: `${dataUrl}/${location.account_id}${path}${search && `?${search}`}`,
    // For small documents, the signature covers the hash of the body. For files, the signature covers the checksum
    // header, so that the file need not be hashed first.
    headers: { ...headers, ...(typeof body === 'string' && { 'x-amz-content-sha256': await sha256Hex(body) }) },
  };
}

type Signable = Pick<
  ConstructorParameters<typeof AwsV4Signer>[0],
  'method' | 'url' | 'headers' | 'signQuery' | 'cache'
>;

/** Signs a request to the data proxy with the service's time. Puts the signature in the headers or in the URL. */
export async function sign(
  request: Signable,
  { accessKeyId, secretAccessKey, sessionToken }: DataCredentials,
  time: number,
) {
  const datetime = new Date(time).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const scope = { service: 's3', region: 'us-east-1', datetime };
  const signer = new AwsV4Signer({ ...request, ...scope, accessKeyId, secretAccessKey, sessionToken });
  const { url, headers } = await signer.sign();
  return { url: url.toString(), headers: Object.fromEntries(headers) };
}

async function sha256Hex(content: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function waitFor(ms: number, signal: AbortSignal): Promise<undefined> {
  return abortable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
}

/**
 * Error codes, with status 400 or 403, that mean invalid credentials. The request is then retried with new credentials.
 */
const ofCredentials = ['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId', 'TokenRefreshRequired'];

/** Error codes that storage returns when a request body was damaged in transit. */
const ofBrokenBytes = ['BadDigest', 'InvalidDigest', 'XAmzContentSHA256Mismatch', 'IncompleteBody', 'RequestTimeout'];

/**
 * Returns the reason of failure for an error response. A response without XML answers a HEAD request, or comes from an
 * intermediate proxy.
 */
function failureOf(answer: IncomingAnswer, what: string): Failure {
  const { status } = answer;
  const root = readAnswerXml(answer.text);
  const textOf = (name: string) => (root?.name === 'Error' && xmlText(root, name)) || '';
  const [code, message] = [textOf('Code'), textOf('Message')];
  const failure = (trouble: Trouble, kind: DataErrorKind, sentence: string): Failure => ({
    trouble,
    error: new DataError(kind, sentence, { code, status }),
  });
  if (code === 'RequestTimeTooSkewed') {
    const serverNow = Date.parse(answer.header('date') ?? '');
    const sentence = 'The clock of this device is wrong. Set it, and try again.';
    return Number.isNaN(serverNow)
      ? failure('final', 'failed', sentence)
      : { ...failure('clock', 'failed', sentence), serverNow };
  }
  if (ofCredentials.includes(code)) return failure('credentials', 'busy', 'The service rejects its own credentials.');
  if (ofBrokenBytes.includes(code)) return failure('broken', 'broken', 'The data was damaged on its way. Try again.');
  const isConflict = status === 409 && (code === 'ConditionalRequestConflict' || code === 'OperationAborted');
  if (isConflict || status === 408 || status === 429 || (status >= 500 && status !== 501)) {
    const sentence = `The storage of this repository does not answer correctly (${code || status}). Try again in a few minutes.`;
    return { ...failure('busy', 'busy', sentence), retryAfterMs: isConflict ? undefined : retryAfterMs(answer) };
  }
  if (status === 403) return failure('final', 'refused', message || 'You may not do this in this repository.');
  if (status === 404) return failure('final', 'absent', message || `${what} does not exist.`);
  if (status === 412) return failure('final', 'exists', message || `${what} already exists.`);
  const requestId = answer.header('x-amz-request-id');
  const request = requestId === null ? '' : ` (request ${requestId})`;
  return failure('final', 'failed', `${what} was refused: ${message || `the service answered ${status}`}${request}`);
}

/**
 * Returns the delay of the `Retry-After` header (RFC 9110, section 10.2.3), limited to five minutes. Returns undefined
 * without this header.
 */
function retryAfterMs(answer: IncomingAnswer): number | undefined {
  const value = answer.header('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 5 * 60_000);
}

/**
 * Returns a delay that doubles with each attempt, from half a second to half a minute. Its random part prevents that
 * all tabs retry at the same moment.
 */
function backOffMs(attempt: number, random: () => number): number {
  return Math.min(30_000, 500 * 2 ** Math.min(attempt, 10)) * (0.5 + random() / 2);
}
