import http from 'node:http';
import https from 'node:https';
import type { HeaderFields } from '../../domain/data/decision.ts';

export interface PostOptions {
  headers: HeaderFields;
  body: string;
  /** The time limit of the whole request, from the connection to the end of the response. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface PostAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export type Post = (options: PostOptions) => Promise<PostAnswer>;

/** Sends POST requests to one service over persistent connections. */
export interface PostClient {
  host: string;
  post: Post;
  close(): void;
}

/** Maximum number of connections, the same as the AWS SDK's default. */
const connectionsMax = 50;

/** @param origin the scheme, host, and port of the service, without a path */
export function createPostClient(origin: string): PostClient {
  const { protocol, hostname, port, host } = new URL(origin);
  const transport = protocol === 'https:' ? https : http;
  const agent = new transport.Agent({ keepAlive: true, maxSockets: connectionsMax });
  const address = { agent, hostname, port, method: 'POST', path: '/' };

  const post = async (options: PostOptions, isRetry = false): Promise<PostAnswer> => {
    const { headers, body, timeoutMs, signal } = options;
    const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>();
    const sent = transport.request({ ...address, headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
    const end = (reason: unknown) => {
      reject(reason);
      sent.destroy();
    };
    const timer = setTimeout(() => end(new TimeoutError(`no answer of ${host} within ${timeoutMs} ms`)), timeoutMs);
    const onAbort = () => end(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    sent.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
      });
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
    });
    sent.on('error', reject);
    if (signal?.aborted) onAbort();
    else sent.end(body);
    try {
      return await promise;
    } catch (error) {
      // Retry once on a new connection: the server closed the idle connection, for example while Lambda had frozen the
      // function. The server did not process this request.
      if (!isRetry && sent.reusedSocket && wasReset(error)) return await post(options, true);
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  };
  return { host, post: (options) => post(options), close: () => agent.destroy() };
}

class TimeoutError extends Error {
  override name = 'TimeoutError';
}

function wasReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
