import type { CloudFrontCustomOrigin } from 'aws-lambda';
import { isStreamed, type LocalRequest, type LocalResponse, sendBody } from '../in-process-http.ts';
import {
  headersOf,
  type OriginExchange,
  type OriginResponse,
  requireViewer,
  targetOf,
  unreachable,
  unsendable,
} from './origin-exchange.ts';

/** An origin on 127.0.0.1 that runs in this process. It gets the same requests as over HTTP, without a connection. */
export interface InProcessOrigin {
  port: number;
  answer(request: LocalRequest): Promise<LocalResponse>;
}

export function isInProcess({ protocol, domainName, port }: CloudFrontCustomOrigin, origin: InProcessOrigin): boolean {
  return protocol === 'http' && domainName === '127.0.0.1' && port === origin.port;
}

/**
 * Sends a request to the origin in this process.
 *
 * @throws EdgeFailure 502 for a request that could not be sent over a connection either, or the error that ended the
 *   body
 */
export async function sendInProcess(exchange: OriginExchange, origin: InProcessOrigin): Promise<OriginResponse> {
  requireViewer(exchange);
  let broken: { cause: unknown } | undefined;
  const { status, headers, body } = await origin.answer({
    method: exchange.request.method,
    target: sendableTarget(exchange),
    rawHeaders: sendableHeaders(exchange),
    async *chunks() {
      try {
        yield* exchange.body.chunks();
      } catch (cause) {
        broken = { cause };
        throw cause;
      }
    },
    hasLeft: () => broken !== undefined,
  });
  if (broken !== undefined) throw broken.cause;
  return {
    status,
    rawHeaders: Object.entries(headers).flat(),
    async sendOn(response, begin) {
      if (isStreamed(body)) await body.prepare().catch(throwUnreachable);
      begin();
      await sendBody(body, response);
    },
    discard() {
      if (isStreamed(body)) body.close();
    },
  };
}

function throwUnreachable(cause: unknown): never {
  throw unreachable(cause);
}

// Applies the same rules as a connection: a function that breaks them fails behind CloudFront too.
function sendableTarget(exchange: OriginExchange): string {
  const target = targetOf(exchange);
  if (/[^\u0021-\u00ff]/.test(target)) throw unsendable(new Error('the path holds what has to be encoded'));
  return target;
}

function sendableHeaders(exchange: OriginExchange): string[] {
  const headers = headersOf(exchange);
  const fields: string[] = [];
  for (const name in headers) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw unsendable(new Error('a name of a header is none'));
    const value = headers[name] ?? '';
    for (const line of Array.isArray(value) ? value : [value]) {
      if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(line))
        throw unsendable(new Error('a header is not one line of bytes'));
      fields.push(name, withoutBlanks(line));
    }
  }
  const isFramed = 'content-length' in headers || 'transfer-encoding' in headers;
  if (!isFramed && mayHaveBody.has(exchange.request.method)) fields.push('content-length', '0');
  return fields;
}

/** Methods for which clients send `content-length: 0` without a body. */
const mayHaveBody: ReadonlySet<string> = new Set(['PUT', 'POST', 'PATCH']);

/**
 * Trims a header value as an HTTP parser does. `trim` would also cut 0xA0, which is the second byte of many characters.
 */
function withoutBlanks(value: string): string {
  return /^[\t ]|[\t ]$/.test(value) ? value.replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, '') : value;
}
