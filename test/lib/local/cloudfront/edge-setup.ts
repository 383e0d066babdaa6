import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { CloudFrontHeaders, CloudFrontRequestEvent, CloudFrontResponseEvent } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import type { BodyDecoding } from '../../../../lib/domain/data/decision.ts';
import type { OriginRequestFunction, OriginResponseFunction } from '../../../../lib/local/cloudfront/functions.ts';
import { startEdge } from '../../../../lib/local/cloudfront/server.ts';
import { listenOnLoopback } from '../../../../lib/local/ports.ts';
import type { ServerCertificate } from '../../../../lib/local/web-server.ts';
import { showUnchanged } from './forwarding.ts';

export async function startOrigin(listener: RequestListener) {
  const server = createServer(listener);
  const port = await listenOnLoopback(server, 0);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port };
}

/** Starts an origin without HTTP. It runs `act` for each request. `ends` settles when the edge ends the connection. */
export async function startRawOrigin(act: (socket: Socket) => void) {
  const { promise: asked, resolve: hearAsked } = Promise.withResolvers<void>();
  const { promise: ended, resolve: hearEnd } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => hearEnd());
    socket.once('data', () => {
      act(socket);
      hearAsked();
    });
  });
  const port = await listenOnLoopback(server, 0);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, asked, ended };
}

export function header(name: string, value: string): CloudFrontHeaders {
  return { [name]: [{ key: name, value }] };
}

interface EdgeSetup {
  serveObject: OriginRequestFunction;
  exchangeCredentials?: OriginRequestFunction;
  shapeResponse?: OriginResponseFunction;
  functionTimeoutMs?: number;
  certificate?: ServerCertificate;
  /** How the edge's function decodes every forwarded body. */
  decoding?: BodyDecoding | undefined;
}

/** Starts an edge that records every event of its functions, in order. */
export async function startTestEdge({ shapeResponse = showUnchanged, ...setup }: EdgeSetup) {
  const requests: CloudFrontRequestEvent[] = [];
  const responses: CloudFrontResponseEvent[] = [];
  const errors: unknown[] = [];
  const exchange = setup.exchangeCredentials ?? (async () => ({ status: '200', body: 'exchange' }));
  const edge = await startEdge({
    port: 0,
    certificate: setup.certificate,
    handlers: {
      serveObject: (event) => {
        requests.push(event);
        return setup.serveObject(event);
      },
      exchangeCredentials: (event) => {
        requests.push(event);
        return exchange(event);
      },
      shapeResponse: (event) => {
        responses.push(event);
        return shapeResponse(event);
      },
    },
    random: { uuid: randomUUID, bytes: randomBytes },
    onError: (error) => errors.push(error),
    takeDecoding: () => setup.decoding,
    ...(setup.functionTimeoutMs === undefined ? {} : { functionTimeoutMs: setup.functionTimeoutMs }),
  });
  onTestFinished(() => edge.close());
  return { ...edge, requests, responses, errors };
}

/** Settles when a stream ends: true when it ended completely. */
export async function arrivesWhole(message: IncomingMessage): Promise<boolean> {
  try {
    for await (const _chunk of message);
    return message.complete;
  } catch {
    return false;
  }
}
