import type { IncomingMessage } from 'node:http';
import type { CloudFrontHeaders } from 'aws-lambda';
import { isLoopbackHost, misdirectedSentence, splitTarget } from '../web-server.ts';
import { EdgeFailure } from './edge-failure.ts';
import { visibleHeaders } from './event-headers.ts';

export interface ViewerRequest {
  method: string;
  rawPath: string;
  rawQuery: string;
  /** The headers that functions can see. */
  headers: CloudFrontHeaders;
  clientIp: string;
  hasBody: boolean;
}

const urlBytesMax = 8192;
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE']);

/**
 * Parses a request in the same way as CloudFront before it runs any function.
 *
 * @throws EdgeFailure for a request that CloudFront refuses at this point, and for a Host header that is not of this
 * machine
 */
export function readViewerRequest(message: IncomingMessage): ViewerRequest {
  const { method = '', url = '' } = message;
  const headers = visibleHeaders(message.rawHeaders);
  const [host, ...otherHosts] = headers['host'] ?? [];
  if (otherHosts.length > 0 || !isLoopbackHost(host?.value, { subdomains: true })) {
    throw new EdgeFailure(421, 'MisdirectedRequest', misdirectedSentence);
  }
  if (!methods.has(method)) throw new EdgeFailure(403, 'MethodNotAllowed', 'This method is not allowed here.');
  if (!url.startsWith('/')) throw new EdgeFailure(400, 'InvalidURI', 'Send the path alone as the request target.');
  if (url.length > urlBytesMax) {
    throw new EdgeFailure(414, 'URITooLong', `The URL is longer than ${urlBytesMax} bytes; shorten it.`);
  }
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']?.[0]?.value ?? 0) > 0;
  if (method === 'GET' && hasBody) {
    throw new EdgeFailure(403, 'BodyNotAllowed', 'A GET request cannot have a body; send it without one.');
  }
  return { method, ...splitTarget(url), headers, clientIp: message.socket.remoteAddress ?? '', hasBody };
}

/** Adds the headers in which CloudFront describes the viewer's connection to origin functions and to the origin. */
export function withEdgeHeaders({ headers, clientIp, ...request }: ViewerRequest): ViewerRequest {
  const forwarded = [...(headers['x-forwarded-for'] ?? []).map(({ value }) => value), clientIp].join(', ');
  const added: CloudFrontHeaders = {
    'x-forwarded-for': [{ key: 'X-Forwarded-For', value: forwarded }],
    via: [...(headers['via'] ?? []), { key: 'Via', value: '1.1 localhost (CloudFront)' }],
  };
  return { ...request, clientIp, headers: { ...headers, ...added } };
}
