import type { CloudFrontResponseEvent, CloudFrontResultResponse } from 'aws-lambda';
import { withCorsHeaders } from '../s3/cors.ts';
import { shapeResponse } from '../s3/response.ts';
import { answerViewer, originAnswerFrom } from './response-events.ts';

/** The origin-response function: it needs nothing but the event. */
export async function shapeResponseHandler(event: CloudFrontResponseEvent): Promise<CloudFrontResultResponse> {
  const shaped = shapeResponse({ ...originAnswerFrom(event), resource: '' });
  return answerViewer(event, { ...shaped, headers: withCorsHeaders(shaped.headers) });
}
