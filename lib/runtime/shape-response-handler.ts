import type { CloudFrontResponseEvent, CloudFrontResultResponse } from 'aws-lambda';
import { shapeResponse } from '../s3/response.ts';
import { answerViewer, originAnswerFrom } from './edge-answers.ts';

/** The origin-response function: it needs nothing but the event. */
export async function shapeResponseHandler(event: CloudFrontResponseEvent): Promise<CloudFrontResultResponse> {
  return answerViewer(event, shapeResponse({ ...originAnswerFrom(event), resource: '' }));
}
