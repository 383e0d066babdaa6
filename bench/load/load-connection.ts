import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HeaderFields } from '../../lib/domain/data/decision.ts';

export interface Timing {
  firstByteMs: number;
  totalMs: number;
}

/** One serialized request, which can be sent many times. */
export interface PreparedRequest {
  url: URL;
  bytes: Uint8Array;
}

export function prepareRequest(method: string, url: URL, headers: HeaderFields, body = ''): PreparedRequest {
  const fields = { host: url.host, ...headers, ...(body === '' ? {} : { 'content-length': String(body.length) }) };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return { url, bytes: Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${head.join('')}\r\n${body}`) };
}

/**
 * A keep-alive connection that sends requests in sequence. It parses only the status and the length of a response and
 * counts the rest. A full HTTP client would take as much of the two cores as the server.
 */
export class LoadConnection {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open({ url }: Pick<PreparedRequest, 'url'>): Promise<LoadConnection> {
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    return new LoadConnection(socket.setNoDelay());
  }

  /** @throws Error for any other status, and for a response without Content-Length */
  send({ bytes }: Pick<PreparedRequest, 'bytes'>, status = 200): Promise<Timing> {
    const { promise, resolve, reject } = Promise.withResolvers<Timing>();
    const startedAt = performance.now();
    let firstByteMs = 0;
    let head = '';
    let awaited: number | undefined;
    const socket = this.#socket;
    const onData = (chunk: Buffer) => {
      firstByteMs ||= performance.now() - startedAt;
      let bodyBytes = chunk.length;
      if (awaited === undefined) {
        const before = head.length;
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /^content-length: *(\d+)/im.exec(head.slice(0, end))?.[1];
        if (!head.startsWith(`HTTP/1.1 ${status} `) || length === undefined)
          return settle(new Error(head.slice(0, 1000)));
        awaited = Number(length);
        bodyBytes = before + chunk.length - end - 4;
      }
      awaited -= bodyBytes;
      if (awaited === 0) settle();
    };
    const onClose = () => settle(new Error('the connection was closed in the midst of an answer'));
    const settle = (error?: Error) => {
      socket.off('data', onData).off('close', onClose).off('error', settle);
      if (error === undefined) resolve({ firstByteMs, totalMs: performance.now() - startedAt });
      else reject(error);
    };
    socket.on('data', onData).on('close', onClose).on('error', settle);
    socket.write(bytes);
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/**
 * Measures requests per second over a number of connections. Each sends its next request after the previous response.
 */
export async function requestRate(request: PreparedRequest, connections: number): Promise<number> {
  const warmUpMs = 500;
  const measuredMs = 3000;
  const open = await Promise.all(Array.from({ length: connections }, () => LoadConnection.open(request)));
  const from = performance.now() + warmUpMs;
  const until = from + measuredMs;
  let answered = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (performance.now() < until) {
        await connection.send(request);
        const now = performance.now();
        if (now >= from && now < until) answered += 1;
      }
    }),
  );
  for (const connection of open) connection.close();
  return answered / (measuredMs / 1000);
}
