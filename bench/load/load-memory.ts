import http from 'node:http';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { childArgument, runAsChild } from '../child-process.ts';

/** The response to every request. */
export interface MemoryAnswer {
  headers: Record<string, string>;
  bodyBytes: number;
}

export interface MemoryServer {
  url: string;
}

// The minimum of an HTTP server in Node: the same bytes for every client.
const { headers, bodyBytes } = childArgument<MemoryAnswer>() ?? { headers: {}, bodyBytes: 0 };
const bytes = Buffer.alloc(bodyBytes, 'tide');
const server = http.createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(bytes);
});
const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
runAsChild({ url } satisfies MemoryServer, async () => {
  server.closeAllConnections();
  server.close();
});
