import type { CloudFrontResponseEvent, CloudFrontResultResponse } from 'aws-lambda';
import { shapeResponse } from '../s3/response.ts';
import { forBrowsers } from './browser-headers.ts';
import { answerViewer, originAnswerFrom } from './response-events.ts';

/** The origin-response function: it needs nothing but the event. */
export async function shapeResponseHandler(event: CloudFrontResponseEvent): Promise<CloudFrontResultResponse> {
  return answerViewer(event, forBrowsers(shapeResponse({ ...originAnswerFrom(event), resource: '' })));
}
