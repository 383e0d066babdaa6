import { copyHeaders, dropOurHeaders, type ViewerRequest, type ViewerRequestEvent } from './events.ts';

/** The viewer-request function for the credential exchange at `/.sts`. */
export function handle(event: ViewerRequestEvent): ViewerRequest {
  dropOurHeaders(event.request.headers);
  return copyHeaders(event.request);
}
