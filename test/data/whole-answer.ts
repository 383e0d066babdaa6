import http from 'node:http';
import { type SignerOptions, signWithSmithy, type UnsignedRequest } from '../lib/sigv4/signed-request.ts';

/** A complete response as received from the connection. */
export interface WholeAnswer {
  status: number;
  reason: string;
  /** Informational responses before it. */
  early: string[];
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  trailers: string[];
  body: string;
}

/**
 * Signs a request with the current time and returns the complete response. Without options, the request is unsigned.
 */
export async function exchange(
  dataUrl: string,
  request: Omit<UnsignedRequest, 'host'>,
  options?: SignerOptions,
): Promise<WholeAnswer> {
  const { host, hostname, port } = new URL(dataUrl);
  const signed = await signWithSmithy({ ...request, host }, { signedAt: Date.now(), ...options });
  const { authorization: _, ...unsignedHeaders } = signed.headers;
  const early: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const sent = http.request({
    host: hostname,
    port,
    agent: false,
    method: signed.method,
    path: signed.rawQuery === '' ? signed.rawPath : `${signed.rawPath}?${signed.rawQuery}`,
    headers: options === undefined ? unsignedHeaders : signed.headers,
  });
  sent.on('information', ({ rawHeaders, statusCode }) => early.push(`${statusCode} ${rawHeaders.join(' ')}`));
  sent.on('response', resolve).on('error', reject).end(request.body);
  const answer = await promise;
  const body = Buffer.concat(await answer.toArray()).toString('utf8');
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(answer.headersDistinct)) headers[name] = (values ?? []).join(', ');
  return {
    status: answer.statusCode ?? 0,
    reason: answer.statusMessage ?? '',
    early,
    headers,
    trailers: answer.rawTrailers,
    body,
  };
}
