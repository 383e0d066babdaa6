import http from 'node:http';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { childArgument, runAsChild } from '../child-process.ts';

export interface BareServer {
  url: string;
}

// Serves copies of responses from memory, which is the minimum of a server in Node. The argument lists their URLs.
const copies = new Map<string, { headers: Record<string, string>; body: Buffer }>();
for (const url of childArgument<string[]>() ?? []) {
  const response = await fetch(url);
  const { pathname, search } = new URL(url);
  const headers = new Headers(response.headers);
  for (const name of ['connection', 'keep-alive', 'content-encoding', 'transfer-encoding']) headers.delete(name);
  const body = Buffer.from(await response.arrayBuffer());
  copies.set(pathname + search, { headers: Object.fromEntries(headers), body });
}
const server = http.createServer((request, response) => {
  const copy = copies.get(request.url ?? '');
  response.writeHead(copy === undefined ? 404 : 200, copy?.headers).end(copy?.body);
});
const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
runAsChild({ url } satisfies BareServer, async () => {
  server.closeAllConnections();
  server.close();
});
