import type { CloudFrontResponseEvent, CloudFrontResultResponse } from 'aws-lambda';
import { freshUntilHeader, readFreshness } from '../domain/data/open-data-cache.ts';
import type { Clock } from '../domain/time.ts';
import { findStreamedError, shapeResponse } from '../s3/response.ts';
import { brokenStorage, type ShownErrorName } from '../s3/storage-errors/shown-errors.ts';
import { forBrowsers } from './browser-headers.ts';
import type { BucketWatch } from './bucket-watch.ts';
import { withCacheControl } from './cache-control.ts';
import type { EdgeLog } from './handlers.ts';
import { asPage, type LinkSite, personHeader } from './link-page.ts';
import { answerViewer, type OriginAnswer, originAnswerFrom } from './response-events.ts';

export interface ResponseServices {
  isBucketMissing: BucketWatch;
  clock: Clock;
  /** How long CloudFront may keep answers about open data; 0 for not at all. */
  openDataCacheSeconds: number;
  log: EdgeLog;
  /** As that of the function that decided: without it nobody is shown a page. */
  site?: LinkSite;
}

export type OriginResponseHandler = (event: CloudFrontResponseEvent) => Promise<CloudFrontResultResponse>;

/** The origin-response function: it sees the head of storage's answer and the request to it. */
export function createResponseHandler({
  isBucketMissing,
  clock,
  openDataCacheSeconds,
  log,
  site,
}: ResponseServices): OriginResponseHandler {
  async function findError(answer: OriginAnswer): Promise<ShownErrorName | undefined> {
    const freshness = readFreshness(answer.request.headers[freshUntilHeader]);
    // The facts that it was decided by have outlived themselves while storage took its time.
    if (freshness !== undefined && clock() > freshness.freshUntil) return 'ServiceUnavailable';
    const error = findStreamedError(answer);
    const mayBeBucket = answer.status === 404 && error !== 'brokenStorage';
    return mayBeBucket && (await isBucketMissing(answer.request)) ? 'brokenStorage' : error;
  }

  return async (event) => {
    const answer = originAnswerFrom(event);
    const { request, status, requestId } = answer;
    const error = await findError(answer);
    if (error === 'brokenStorage')
      log({ request_id: requestId, failure: brokenStorage(`${status} to ${request.method}`) });
    if (error === 'notEncrypted') {
      log({ request_id: requestId, failure: new Error('the storage does not encrypt as requested') });
    }
    const shaped = shapeResponse(answer, error, { method: request.method, resource: '', requestId });
    const now = clock();
    const figures = { now, openDataCacheSeconds };
    const shown = withCacheControl(forBrowsers(shaped), { storageHeaders: answer.headers, request }, figures);
    const page = request.headers[personHeader];
    // The link was good, or storage would not have been asked: nothing of it matters any more.
    const forPerson = site !== undefined && page !== undefined;
    return answerViewer(event, forPerson ? asPage(shown, { site, page, rawQuery: '', now }) : shown);
  };
}
