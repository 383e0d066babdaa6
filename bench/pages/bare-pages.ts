import http from 'node:http';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { childArgument, runAsChild } from '../child-process.ts';
import type { PagesService } from './pages-service.ts';

export interface BarePages {
  url: string;
}

// Serves stored responses of the service from memory, which is the minimum of a server in Node.
const { apiUrl, pages } = childArgument<PagesService>() ?? { apiUrl: '', pages: {} };
const answers = new Map<string, { type: string; body: Buffer }>();
for (const path of Object.values(pages)) {
  const answer = await fetch(apiUrl + path);
  const type = answer.headers.get('content-type') ?? '';
  answers.set(path, { type, body: Buffer.from(await answer.arrayBuffer()) });
}
const server = http.createServer(({ url = '' }, response) => {
  const answer = answers.get(url);
  response.writeHead(answer === undefined ? 404 : 200, { 'content-type': answer?.type ?? 'text/plain' });
  response.end(answer?.body);
});
const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
runAsChild({ url } satisfies BarePages, async () => {
  server.closeAllConnections();
  server.close();
});
