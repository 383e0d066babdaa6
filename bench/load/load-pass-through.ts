import http from 'node:http';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { childArgument, runAsChild } from '../child-process.ts';

export interface PassThrough {
  url: string;
}

const { hostname, port } = new URL(childArgument<string>() ?? '');
const agent = new http.Agent({ keepAlive: true });

// The minimum of a proxy in Node: no functions, no rules, no checks, and no error handling.
const server = http.createServer((viewer, response) => {
  const { method, url, rawHeaders } = viewer;
  const forwarded = http.request({ agent, hostname, port, method, path: url, headers: rawHeaders }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
    answer.pipe(response);
  });
  if (method === 'GET') forwarded.end();
  else viewer.pipe(forwarded);
});
const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
runAsChild({ url } satisfies PassThrough, async () => {
  server.closeAllConnections();
  server.close();
  agent.destroy();
});
