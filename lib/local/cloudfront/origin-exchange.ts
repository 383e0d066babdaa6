import type { IncomingMessage, ServerResponse } from 'node:http';
import { EdgeFailure } from './edge-failure.ts';
import { toNodeHeaders } from './event-headers.ts';
import type { OriginBoundRequest } from './function-results.ts';
import type { IncludedBody } from './included-body.ts';

/** A request that a function sent on its way, with the body that goes with it. */
export interface OriginExchange extends OriginBoundRequest {
  body: IncludedBody;
  requestId: string;
  /** The viewer's side, of which the pace is that of the whole. */
  viewer: IncomingMessage;
  response: ServerResponse;
}

/** What an origin answered, its body unread. */
export interface OriginAnswer {
  status: number;
  /** Name and value in turn. */
  rawHeaders: readonly string[];
  /**
   * Sends the body on at the viewer's pace and settles when nothing more is needed of the origin for it.
   *
   * @param begin writes the head, as late as can be: until the first byte of the body is there an error can be told
   * @throws EdgeFailure 502 or 504 when the origin breaks off or is silent, another Error when the viewer goes away; the
   *   body must then not be ended, since an end would pass what was sent for the whole
   */
  sendOn(response: ServerResponse, begin: () => void): Promise<void>;
  /** Lets go of what was not sent on. */
  discard(): void;
}

/** @throws Error when the viewer has gone: its request must not be carried out */
export function requireViewer({ viewer, response }: OriginExchange): void {
  // Right after the server was closed the response does not know it yet.
  if (!response.destroyed && !viewer.socket.destroyed) return;
  throw new Error('the viewer went away before its request was sent on');
}

/** Path and query as the origin gets them. */
export function targetOf({ request, origin }: OriginExchange): string {
  const path = `${origin.path}${request.uri}`;
  return request.querystring === '' ? path : `${path}?${request.querystring}`;
}

/** The headers that the origin gets, those of the function over the origin's own, and what CloudFront adds. */
export function headersOf({ request, origin, requestId }: OriginExchange): Record<string, string | string[]> {
  return {
    host: origin.domainName,
    ...toNodeHeaders(origin.customHeaders),
    ...toNodeHeaders(request.headers),
    'x-amz-cf-id': requestId,
  };
}

export function unsendable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The function returned what cannot be sent.', { cause });
}

export function unreachable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The storage could not be reached; try again.', { cause });
}
