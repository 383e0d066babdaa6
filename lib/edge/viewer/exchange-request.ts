import type { ViewerRequest, ViewerRequestEvent } from './events.ts';
import { copyHeaders, dropOurHeaders } from './headers.ts';

/** The viewer-request function of the exchange. */
export function handle(event: ViewerRequestEvent): ViewerRequest {
  dropOurHeaders(event.request.headers);
  return copyHeaders(event.request);
}
