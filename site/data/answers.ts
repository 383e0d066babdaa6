import { xmlText } from '../../lib/domain/xml.ts';
import { DataError } from './data-error.ts';
import type { IncomingAnswer } from './transport.ts';
import { readAnswerXml } from './xml.ts';

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
export function judgeAnswer(answer: IncomingAnswer, what: string): Verdict {
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
export function backOffMs(attempt: number, random: () => number): number {
  return Math.min(30_000, 500 * 2 ** Math.min(attempt, 10)) * (0.5 + random() / 2);
}
