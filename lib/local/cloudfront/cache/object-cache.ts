import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { CloudFrontHeaders } from 'aws-lambda';
import type { InvalidationCounts } from '../../../domain/changes/closed-places.ts';
import { cacheHeader, openMark } from '../../../domain/data/open-data-cache.ts';
import type { Clock } from '../../../domain/time.ts';
import type { FunctionAnswer } from '../function-results.ts';
import type { OriginAnswer } from '../origin-exchange.ts';
import type { ViewerRequest } from '../viewer-request.ts';
import { readContentRange, readRange, widenedRange } from './byte-ranges.ts';
import {
  fieldOf,
  isFresh,
  isUnsatisfiable,
  type KeptAnswer,
  mayStandInForError,
  type Served,
  type ShownAnswer,
  servedField,
  showKept,
  ttlSecondsOf,
} from './cached-response.ts';
import { cacheKey, KeptAnswers } from './cached-responses.ts';

/** What the functions made of a request, and the origin's answer whose body follows where they gave none. */
export interface Arrived {
  answer: ShownAnswer;
  origin?: OriginAnswer | undefined;
}

export interface ObjectCacheOptions {
  clock: Clock;
  /** How long CloudFront takes to forget what it is told to. */
  invalidationSeconds?: number;
  /** What an answer is found by, as the policy of objects has it; undefined for what is never found again. */
  keyOf?: (request: ViewerRequest) => string | undefined;
}

/** CloudFront keeps objects of any size; here the memory of a machine is what they take. */
const keptObjectBytesMax = 4 * 1024 * 1024;

/** Keeps answers as CloudFront does, so that what is said about its cache can be tested where it runs. */
export class ObjectCache {
  readonly #kept = new KeptAnswers();
  readonly #clock: Clock;
  readonly #invalidationMs: number;
  readonly #keyOf: (request: ViewerRequest) => string | undefined;
  /** Requests that went to the origin, by what they asked. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Of the last hour. */
  #invalidationsBeganAt: number[] = [];

  constructor({ clock, invalidationSeconds = 5, keyOf = objectKey }: ObjectCacheOptions) {
    this.#clock = clock;
    this.#invalidationMs = invalidationSeconds * 1000;
    this.#keyOf = keyOf;
  }

  /**
   * At once where it has the answer.
   *
   * @param ask runs the functions, and sends what they forward; for GET and HEAD alone
   */
  serve(request: ViewerRequest, ask: (asked: ViewerRequest) => Promise<Arrived>): Arrived | Promise<Arrived> {
    const key = this.#keyOf(request);
    // What has a key of its own is never found again: nothing is looked for, and nothing kept.
    if (key === undefined) return ask(request).then(passedOn);
    const before = this.#kept.find(key, request, this.#clock());
    if (before !== undefined && isFresh(before, this.#clock())) return this.#show(before, request, 'Hit');
    return this.#askOnce(key, request, before, ask);
  }

  /** Where the same is asked already, it is waited for. */
  async #askOnce(
    key: string,
    request: ViewerRequest,
    before: KeptAnswer | undefined,
    ask: (asked: ViewerRequest) => Promise<Arrived>,
  ): Promise<Arrived> {
    const place = `${request.method} ${fieldOf(request.headers, 'range') ?? ''} ${key}`;
    const underWay = this.#underWay.get(place);
    if (underWay === undefined) {
      const asking = this.#ask(key, request, before, ask);
      const settled = asking.catch(() => undefined).finally(() => this.#underWay.delete(place));
      this.#underWay.set(place, settled);
      return asking;
    }
    await underWay;
    const found = this.#kept.find(key, request, this.#clock());
    if (found !== undefined && isFresh(found, this.#clock())) return this.#show(found, request, 'Hit');
    // What must not be kept is not shared either.
    return this.#ask(key, request, found, ask);
  }

  /** Begins to forget: what was stored until it is done is gone then. */
  invalidate(patterns: readonly string[]): void {
    const now = this.#clock();
    this.#invalidationsBeganAt.push(now);
    this.#kept.invalidate(patterns, now + this.#invalidationMs);
  }

  forgetNearTier(): void {
    this.#kept.forgetNear();
  }

  countInvalidations(): InvalidationCounts {
    const now = this.#clock();
    this.#invalidationsBeganAt = this.#invalidationsBeganAt.filter((beganAt) => beganAt > now - 3_600_000);
    const inProgress = this.#invalidationsBeganAt.filter((beganAt) => beganAt + this.#invalidationMs > now).length;
    return { inProgress, inLastHour: this.#invalidationsBeganAt.length };
  }

  #show(kept: KeptAnswer, request: ViewerRequest, served: Served): Arrived {
    return { answer: showKept(kept, request, served, this.#clock()) };
  }

  async #ask(
    key: string,
    request: ViewerRequest,
    stale: KeptAnswer | undefined,
    ask: (asked: ViewerRequest) => Promise<Arrived>,
  ): Promise<Arrived> {
    const arrived = await ask(askedOf(request, stale)).catch((failure) => {
      if (stale !== undefined && mayStandInForError(stale, this.#clock())) return undefined;
      throw failure;
    });
    const { status = 500 } = arrived?.answer ?? {};
    if (stale !== undefined && status >= 500 && mayStandInForError(stale, this.#clock())) {
      arrived?.origin?.discard();
      return this.#show(stale, request, 'Hit');
    }
    if (arrived === undefined) throw new Error('a request without an answer');
    // Without a tag or a date of its own, the condition was the viewer's, and says nothing of what is kept.
    if (stale !== undefined && hasValidator(stale) && status === 304) {
      arrived.origin?.discard();
      const refreshed = this.#refreshed(stale, arrived.answer.headers);
      this.#kept.store(key, refreshed, refreshed.storedAt, stale.storedAt);
      return this.#show(refreshed, request, 'RefreshHit');
    }
    const kept = await this.#take(request, arrived);
    if (kept === undefined) return passedOn(arrived);
    this.#kept.store(key, kept, this.#clock());
    // The widened range exists and the viewer's does not. The origin refuses the viewer's own with 416.
    if (isUnsatisfiable(kept, request)) return passedOn(await ask(request));
    return this.#show(kept, request, status >= 400 ? 'Error' : 'Miss');
  }

  #refreshed(kept: KeptAnswer, headers: CloudFrontHeaders): KeptAnswer {
    const told = withoutLength(headers);
    return {
      ...kept,
      headers: { ...kept.headers, ...told },
      storedAt: this.#clock(),
      ttlSeconds: ttlSecondsOf(304, headers),
    };
  }

  /** Reads an answer that is to be kept, or of which the viewer gets a part; undefined where it is only passed on. */
  async #take(request: ViewerRequest, { answer, origin }: Arrived): Promise<KeptAnswer | undefined> {
    const { status, headers } = answer;
    // Its age counts from its head: a body may take its time.
    const storedAt = this.#clock();
    const ttlSeconds = ttlSecondsOf(status, headers);
    const isWidened = status === 206 && request.method === 'GET' && !isWhatWasAsked(request, headers);
    if ((ttlSeconds === 0 && !isWidened) || status === 304) return undefined;
    const part = status === 206 ? readContentRange(fieldOf(headers, 'content-range')) : undefined;
    if ((part === undefined) === (status === 206)) return undefined;
    const lengthBytes = Number(fieldOf(headers, 'content-length') ?? answer.body?.length ?? Number.NaN);
    if (!(lengthBytes <= keptObjectBytesMax)) return undefined;
    const body = await readBody(request, answer, origin).finally(() => origin?.discard());
    if (body !== undefined && body.length !== lengthBytes)
      throw new Error('the origin sent another length than it said');
    return {
      url: request.rawQuery === '' ? request.rawPath : `${request.rawPath}?${request.rawQuery}`,
      status,
      headers: withoutLength(headers),
      body,
      lengthBytes: part?.lengthBytes ?? lengthBytes,
      part,
      storedAt,
      ttlSeconds,
    };
  }
}

function hasValidator({ headers }: KeptAnswer): boolean {
  return headers['etag'] !== undefined || headers['last-modified'] !== undefined;
}

/** The request as CloudFront sends it on: conditional on what it has, and for more than the viewer asks. */
function askedOf(request: ViewerRequest, stale: KeptAnswer | undefined): ViewerRequest {
  const headers = { ...request.headers };
  const range = request.method === 'GET' ? readRange(fieldOf(headers, 'range')) : undefined;
  const widened = range && widenedRange(range);
  if (widened !== undefined) headers['range'] = [{ key: 'range', value: widened }];
  const etag = stale && fieldOf(stale.headers, 'etag');
  const modified = stale && fieldOf(stale.headers, 'last-modified');
  if (etag === undefined && modified === undefined) return { ...request, headers };
  delete headers['if-none-match'];
  delete headers['if-modified-since'];
  if (etag !== undefined) headers['if-none-match'] = [{ key: 'if-none-match', value: etag }];
  else headers['if-modified-since'] = [{ key: 'if-modified-since', value: modified ?? '' }];
  return { ...request, headers };
}

/** A function may have asked for what the viewer did, and a storage may answer another range than was asked for. */
function isWhatWasAsked({ headers }: ViewerRequest, answered: CloudFrontHeaders): boolean {
  const asked = readRange(fieldOf(headers, 'range'));
  const part = readContentRange(fieldOf(answered, 'content-range'));
  if (asked?.from === undefined || asked.to === undefined || part === undefined) return true;
  const to = Math.min(asked.to, part.lengthBytes - 1);
  return asked.from < part.from || to > part.to || (asked.from === part.from && to === part.to);
}

/** A part may be widened on its way, whoever asks for it. */
function objectKey(request: ViewerRequest): string | undefined {
  const { headers } = request;
  const isShared = headers[cacheHeader]?.[0]?.value === openMark || headers['range'] !== undefined;
  return isShared ? cacheKey(request) : undefined;
}

function passedOn({ answer, origin }: Arrived): Arrived {
  const served = servedField(answer.status >= 400 ? 'Error' : 'Miss');
  return { answer: { ...answer, headers: { ...answer.headers, 'x-cache': served } }, origin };
}

function withoutLength(headers: CloudFrontHeaders): CloudFrontHeaders {
  const { 'content-length': _length, 'content-range': _range, 'transfer-encoding': _framing, ...rest } = headers;
  return rest;
}

async function readBody(
  { method }: ViewerRequest,
  { body }: FunctionAnswer,
  origin: OriginAnswer | undefined,
): Promise<Buffer | undefined> {
  if (method === 'HEAD') return undefined;
  if (body !== undefined || origin === undefined) return body ?? Buffer.alloc(0);
  const collected = new Collected();
  await origin.sendOn(collected as unknown as ServerResponse, () => {
    collected.headersSent = true;
  });
  return Buffer.concat(collected.pieces);
}

/** Takes a body as a response does, of which it has as much as an origin looks at. */
class Collected extends Writable {
  headersSent = false;
  readonly pieces: Buffer[] = [];

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // What is read into a buffer of the connection is overwritten by what comes next.
    this.pieces.push(Buffer.from(piece));
    done();
  }
}
