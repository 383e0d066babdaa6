import http from 'node:http';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { childArgument, runAsChild } from '../child-process.ts';

export interface MemoryServer {
  url: string;
}

// As little as an answer in Node can be: the same bytes to everyone.
const bytes = Buffer.alloc(childArgument<number>() ?? 0, 'tide');
const server = http.createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length });
  response.end(bytes);
});
const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
runAsChild({ url } satisfies MemoryServer, async () => {
  server.closeAllConnections();
  server.close();
});
