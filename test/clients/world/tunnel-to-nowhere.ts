import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../lib/local/ports.ts';

/** A proxy that leads nowhere, for clients that must not get to where they turn: it tells whom they asked the way to. */
export async function startTunnelToNowhere() {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  }).on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(proxy, 0)}`;
  return { asked, env: { HTTPS_PROXY: url, HTTP_PROXY: url }, close: () => proxy.close() };
}
