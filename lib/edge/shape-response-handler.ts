import type { CloudFrontResponseEvent, CloudFrontResultResponse } from 'aws-lambda';
import { freshUntilHeader, readFreshness } from '../domain/data/open-data-cache.ts';
import type { Clock } from '../domain/time.ts';
import { forBrowsers } from '../s3/browser-headers.ts';
import { findStreamedError, shapeResponse } from '../s3/response.ts';
import { brokenStorage, LoggedStorageError, type ShownErrorName } from '../s3/storage-errors/shown-errors.ts';
import { withCacheControl } from './cache-control.ts';
import { answerViewer, type OriginAnswer, originAnswerFrom } from './cloudfront-events.ts';
import type { EdgeLog } from './handlers.ts';
import { asPage, type LinkSite, userHeader } from './link-page.ts';
import type { StorageCheck } from './storage-check.ts';

export interface ResponseServices {
  checkStorage: StorageCheck;
  clock: Clock;
  /** Number of seconds for which CloudFront may cache open data; 0 disables caching. */
  openDataCacheSeconds: number;
  log: EdgeLog;
  /** The site's data for error pages, as in the origin-request function. If absent, errors are never shown as pages. */
  site?: LinkSite;
}

/** The statuses with which S3 reports refused credentials, a wrong region, or a missing bucket. */
const statusesOfFaults: ReadonlySet<number> = new Set([301, 307, 400, 401, 403, 404]);

export type OriginResponseHandler = (event: CloudFrontResponseEvent) => Promise<CloudFrontResultResponse>;

/**
 * Creates the origin-response function. CloudFront gives this function the request, and the status and headers of
 * storage's response, but no body.
 */
export function createResponseHandler({
  checkStorage,
  clock,
  openDataCacheSeconds,
  log,
  site,
}: ResponseServices): OriginResponseHandler {
  async function findError(answer: OriginAnswer): Promise<ShownErrorName | undefined> {
    const freshness = readFreshness(answer.request.headers[freshUntilHeader]);
    // Refuse the response if the authorization data expired while storage prepared the response.
    if (freshness !== undefined && clock() > freshness.freshUntil) return 'ServiceUnavailable';
    const fault = statusesOfFaults.has(answer.status) ? await checkStorage(answer.request) : undefined;
    if (fault === undefined) return findStreamedError(answer);
    return fault.code === 'credentials_refused' ? 'credentialsRefused' : 'brokenStorage';
  }

  return async (event) => {
    const answer = originAnswerFrom(event);
    const { request, status, requestId } = answer;
    const error = await findError(answer);
    if (error === 'brokenStorage')
      log({ request_id: requestId, failure: brokenStorage(`${status} to ${request.method}`) });
    if (error === 'versionObjectChanged' || error === 'versionObjectMissing') {
      log({ request_id: requestId, failure: new LoggedStorageError(error) });
    }
    if (error === 'notEncrypted') {
      log({ request_id: requestId, failure: new Error('the storage does not encrypt as requested') });
    }
    const shaped = shapeResponse(answer, error, { method: request.method, resource: '', requestId });
    const now = clock();
    const figures = { now, openDataCacheSeconds };
    const shown = withCacheControl(forBrowsers(shaped), { storageHeaders: answer.headers, request }, figures);
    const page = request.headers[userHeader];
    // Leave out the query, so that the page does not mention the expiry of the link. The link was valid, because the
    // request reached storage.
    const forUser = site !== undefined && page !== undefined;
    return answerViewer(event, forUser ? asPage(shown, { site, page, rawQuery: '', now }) : shown);
  };
}
