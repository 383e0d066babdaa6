import type { IncomingMessage, ServerResponse } from 'node:http';
import { EdgeFailure } from './edge-failure.ts';
import { toNodeHeaders } from './event-headers.ts';
import type { OriginBoundRequest } from './function-results.ts';
import type { IncludedBody } from './included-body.ts';

/** A request that a function forwarded, with its body. */
export interface OriginExchange extends OriginBoundRequest {
  body: IncludedBody;
  requestId: string;
  /** The viewer's connection, which sets the pace. */
  viewer: IncomingMessage;
  response: ServerResponse;
}

/** The response of an origin whose body is unread. */
export interface OriginResponse {
  status: number;
  /** Names and values in turn. */
  rawHeaders: readonly string[];
  /**
   * Streams the body at the viewer's pace. Settles when the origin is no longer needed.
   *
   * @param begin writes the head. It is called as late as possible: until the first byte of the body arrives, an error
   *   can replace the response.
   * @throws EdgeFailure 502 or 504 when the origin breaks off or is silent, another Error when the viewer goes away.
   *   The response must then not be ended, since an end would make the part look whole.
   */
  sendOn(response: ServerResponse, begin: () => void): Promise<void>;
  /** Drops the rest of the body. */
  discard(): void;
}

/** @throws Error when the viewer has gone: its request must not be carried out */
export function requireViewer({ viewer, response }: OriginExchange): void {
  // Right after the server closes, the response is not marked as destroyed yet.
  if (!response.destroyed && !viewer.socket.destroyed) return;
  throw new Error('the viewer went away before its request was sent on');
}

/** Returns path and query of the origin request. */
export function targetOf({ request, origin }: OriginExchange): string {
  const path = `${origin.path}${request.uri}`;
  return request.querystring === '' ? path : `${path}?${request.querystring}`;
}

/**
 * Returns the headers of the origin request: the function's override the origin's custom headers, and CloudFront adds
 * its own.
 */
export function headersOf({ request, origin, requestId }: OriginExchange): Record<string, string | string[]> {
  return {
    host: origin.domainName,
    ...toNodeHeaders(origin.customHeaders),
    ...toNodeHeaders(request.headers),
    'x-amz-cf-id': requestId,
  };
}

export function unsendable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The function returned a request that cannot be sent.', { cause });
}

export function unreachable(cause: unknown): EdgeFailure {
  return new EdgeFailure(502, 'BadGateway', 'The storage could not be reached; try again.', { cause });
}
