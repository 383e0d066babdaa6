import { copyHeaders, dropOurHeaders, type ViewerRequest, type ViewerRequestEvent } from './events.ts';

/** The viewer-request function of the credential exchange. */
export function handle(event: ViewerRequestEvent): ViewerRequest {
  dropOurHeaders(event.request.headers);
  return copyHeaders(event.request);
}
