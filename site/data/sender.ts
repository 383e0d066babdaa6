import { AwsV4Signer } from 'aws4fetch';
import { xmlText } from '../../lib/domain/xml.ts';
import type { CredentialSource, DataCredentials } from './credentials.ts';
import { DataError, isDataError } from './data-error.ts';
import { pathOfKey, type RepositoryPath } from './keys.ts';
import type { IncomingAnswer, Transport } from './transport.ts';
import { readAnswerXml } from './xml.ts';

export interface SenderOptions {
  /** The URL of the data proxy, without a slash at its end. */
  dataUrl: string;
  place: RepositoryPath;
  credentials: CredentialSource;
  transport: Transport;
  now?: () => number;
  random?: () => number;
  /**
   * Waits for a number of milliseconds, or less when an early retry is reasonable. Resolves with `anew` to reset the
   * count of attempts. Rejects with the signal's reason.
   */
  wait?: (ms: number, signal: AbortSignal) => Promise<'anew' | undefined>;
  /** Called when no response arrives, and when one arrives again. */
  onConnection?: (isThere: boolean) => void;
  /** Called before each wait for a busy service. Called without `busy` when the request ends, with any result. */
  onBusy?: (request: DataRequest, busy: BusyRequest | undefined) => void;
}

/** A request that waits for its next attempt. */
export interface BusyRequest {
  /** Number of refused attempts. */
  tries: number;
  waitMs: number;
}

export interface DataRequest {
  /** The subject of error messages: `The upload`, `The list`. */
  what: string;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The key in the repository; undefined for requests to the repository's account, such as lists. */
  key?: string | undefined;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Blob | string | undefined;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
  /** Number of attempts without a response; unlimited if the request may wait for the connection. */
  networkTries?: number;
}

export type Sender = (request: DataRequest) => Promise<IncomingAnswer>;

const serviceTries = 8;
const brokenTries = 3;
const credentialTries = 3;

/**
 * Signs requests to one repository and retries them until they succeed or fail finally. Rejects with a DataError, or
 * with the signal's reason.
 */
export function createSender(options: SenderOptions): Sender {
  const { dataUrl, place, credentials, transport, now = Date.now, random = Math.random, wait = waitFor } = options;
  const { onConnection = () => undefined, onBusy = () => undefined } = options;
  const signingKeys = new Map<string, ArrayBuffer>();
  let clockAheadMs: number | undefined;

  async function signed(request: DataRequest, held: DataCredentials) {
    const { account_id, repository_id } = place;
    const path = request.key === undefined ? '' : `/${repository_id}/${pathOfKey(request.key)}`;
    const query = new URLSearchParams(request.query);
    const headers: Record<string, string> = { ...request.headers };
    // The signature covers the hash of small documents. For files it covers the checksum header instead.
    if (typeof request.body === 'string') headers['x-amz-content-sha256'] = await sha256Hex(request.body);
    const { url, headers: signedHeaders } = await new AwsV4Signer({
      method: request.method,
      url: `${dataUrl}/${account_id}${path}${query.size === 0 ? '' : `?${strictQuery(query)}`}`,
      headers,
      service: 's3',
      region: 'us-east-1',
      cache: signingKeys,
      datetime: amzDate(now() + (clockAheadMs ?? held.clockAheadMs)),
      accessKeyId: held.accessKeyId,
      secretAccessKey: held.secretAccessKey,
      sessionToken: held.sessionToken,
    }).sign();
    return { url: url.toString(), headers: Object.fromEntries(signedHeaders) };
  }

  /** Resolves with the response, or with the next step. */
  async function attempt(request: DataRequest, held: DataCredentials): Promise<IncomingAnswer | Verdict> {
    const { url, headers } = await signed(request, held);
    const answer = await transport({
      method: request.method,
      url,
      headers,
      body: request.body,
      signal: request.signal,
      onSent: request.onSent,
    }).catch((cause: unknown) => {
      request.signal.throwIfAborted();
      throw new DataError('offline', 'No answer came. Check your connection.', { cause });
    });
    onConnection(true);
    return answer.status < 300 ? answer : judgeAnswer(answer, request.what);
  }

  async function answered(request: DataRequest): Promise<IncomingAnswer> {
    const { signal, networkTries = Number.POSITIVE_INFINITY } = request;
    const tries = { network: 0, service: 0, broken: 0, credentials: 0, clock: 0 };
    let refused: DataCredentials | undefined;
    for (;;) {
      signal.throwIfAborted();
      let outcome: IncomingAnswer | Verdict;
      try {
        const held = await (refused === undefined ? credentials.current(signal) : credentials.renew(refused, signal));
        refused = undefined;
        outcome = await attempt(request, held);
        tries.network = 0;
        if (!('kind' in outcome)) return outcome;
        if (outcome.kind === 'credentials') {
          tries.credentials += 1;
          if (tries.credentials >= credentialTries) throw outcome.error;
          refused = held;
          continue;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!isDataError(error, 'offline', 'busy')) throw error;
        if (error.kind === 'offline') {
          tries.network += 1;
          // A file that changed on the disk fails like a lost connection, and every retry would fail too. This read
          // detects the change.
          if (request.body instanceof Blob) await request.body.slice(0, 1).arrayBuffer();
          onConnection(false);
          if (tries.network >= networkTries) throw error;
          await wait(backOffMs(tries.network, random), signal);
          continue;
        }
        outcome = { kind: 'again', afterMs: undefined, error };
      }
      if (outcome.kind === 'clock' && tries.clock === 0) {
        tries.clock += 1;
        clockAheadMs = outcome.serverNow - now();
        continue;
      }
      if (outcome.kind !== 'again') throw outcome.error;
      const counted = outcome.error.kind === 'broken' ? 'broken' : 'service';
      tries[counted] += 1;
      if (tries[counted] >= (counted === 'broken' ? brokenTries : serviceTries)) throw outcome.error;
      const waitMs = outcome.afterMs ?? backOffMs(tries[counted], random);
      if (counted === 'service') onBusy(request, { tries: tries[counted], waitMs });
      if ((await wait(waitMs, signal)) === 'anew') tries[counted] = 0;
    }
  }

  return async (request) => {
    try {
      return await answered(request);
    } finally {
      onBusy(request, undefined);
    }
  };
}

/** Formats a time as `20260101T000000Z`. */
export function amzDate(time: number): string {
  return new Date(time).toISOString().replace(/[:-]|\.\d{3}/g, '');
}

/** Encodes a query without `+`, which parsers read either as a space or as a plus sign. */
function strictQuery(query: URLSearchParams): string {
  return [...query].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

async function sha256Hex(content: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function waitFor(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve(undefined);
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** The next step after a failed response: retry, retry with other credentials or another clock, or give up. */
export type Verdict =
  | { kind: 'again'; afterMs: number | undefined; error: DataError }
  | { kind: 'credentials'; error: DataError }
  | { kind: 'clock'; serverNow: number; error: DataError }
  | { kind: 'final'; error: DataError };

/** Codes of 400 and 403 that concern the credentials, not their permissions. */
const ofCredentials: readonly string[] = ['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId', 'TokenRefreshRequired'];

const ofBrokenBytes: readonly string[] = [
  'BadDigest',
  'InvalidDigest',
  'XAmzContentSHA256Mismatch',
  'IncompleteBody',
  'RequestTimeout',
];

/**
 * Interprets an error response of the data proxy. A response without XML belongs to a HEAD request or comes from an
 * intermediary.
 */
function judgeAnswer(answer: IncomingAnswer, what: string): Verdict {
  const { status } = answer;
  const root = readAnswerXml(answer.text);
  const code = (root?.name === 'Error' && xmlText(root, 'Code')) || '';
  const message = (root?.name === 'Error' && xmlText(root, 'Message')) || '';
  const requestId = answer.header('x-amz-request-id');
  const told = { code, status };
  const failed = () =>
    new DataError(
      'failed',
      `${what} was refused: ${message || `the service answered ${status}`}${requestId === null ? '' : ` (request ${requestId})`}`,
      told,
    );
  if (code === 'RequestTimeTooSkewed') {
    const serverNow = Date.parse(answer.header('date') ?? '');
    const error = new DataError('failed', 'The clock of this device is wrong. Set it, and try again.', told);
    return Number.isNaN(serverNow) ? { kind: 'final', error } : { kind: 'clock', serverNow, error };
  }
  if (ofCredentials.includes(code)) {
    return {
      kind: 'credentials',
      error: new DataError('busy', 'The service does not take its own credentials.', told),
    };
  }
  // All of these can follow from a damaged request body. Only the number of attempts shows that a body is damaged each
  // time.
  if (ofBrokenBytes.includes(code)) {
    const error = new DataError('broken', 'The bytes that arrived are not those that were sent.', told);
    return { kind: 'again', afterMs: undefined, error };
  }
  if (status >= 500 && status !== 501) return { kind: 'again', afterMs: retryAfterMs(answer), error: busy(told) };
  if (status === 408 || status === 429) return { kind: 'again', afterMs: retryAfterMs(answer), error: busy(told) };
  if (status === 409 && (code === 'ConditionalRequestConflict' || code === 'OperationAborted')) {
    return { kind: 'again', afterMs: undefined, error: busy(told) };
  }
  if (status === 403) {
    const error = new DataError('refused', message || 'You may not do this in this repository.', told);
    return { kind: 'final', error };
  }
  if (status === 404) {
    return { kind: 'final', error: new DataError('absent', message || `${what} is not there.`, told) };
  }
  if (status === 412) {
    return { kind: 'final', error: new DataError('exists', message || `${what} is there already.`, told) };
  }
  return { kind: 'final', error: failed() };
}

function busy(told: { code: string; status: number }): DataError {
  const sentence = `The storage of this repository does not answer as it should (${told.code || told.status}). Try again in a few minutes.`;
  return new DataError('busy', sentence, told);
}

/**
 * Returns the delay of `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3), capped at five minutes.
 * Returns undefined without the header.
 */
function retryAfterMs(answer: IncomingAnswer): number | undefined {
  const value = answer.header('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 5 * 60_000);
}

/**
 * Returns a delay that doubles from half a second to half a minute. Jitter prevents that all tabs of an office retry at
 * once.
 */
function backOffMs(attempt: number, random: () => number): number {
  return Math.min(30_000, 500 * 2 ** Math.min(attempt, 10)) * (0.5 + random() / 2);
}
