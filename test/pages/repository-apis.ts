import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { openLocalCertificate } from '../../lib/local/certificate.ts';
import { listenOnLoopback } from '../../lib/local/ports.ts';

/** An emulator of the public APIs of GitHub and GitLab, behind a proxy that forwards only to this emulator. */
export interface RepositoryApis {
  /** The URL of the proxy, for a browser. */
  proxyUrl: string;
  requests: { url: string; headers: IncomingMessage['headers'] }[];
  /** The hosts of other requests, which the proxy refuses. */
  otherHosts: string[];
  close: () => void;
}

const github = (full_name: string, id: number, owner: number) => ({
  id,
  full_name,
  owner: { id: owner, login: 'any' },
});

/** Answers by URL: a body, a status, a redirect, or no answer. */
const answers: Readonly<Record<string, object | number | string>> = {
  'api.github.com/repos/Tides/Code': github('tides/code', 4711, 42),
  'api.github.com/repos/tides/old-name': 'https://api.github.com/repositories/4712',
  'api.github.com/repositories/4712': github('mallory/taken', 4712, 43),
  'api.github.com/repos/mallory/taken': github('mallory/taken', 4712, 43),
  'api.github.com/repos/tides/private': 404,
  'api.github.com/repos/tides/limited': 403,
  'api.github.com/repos/tides/elsewhere': 'https://elsewhere.example/repositories/1',
  'api.github.com/repos/tides/hostile': github('<img src=x onerror="document.title=\'ran\'">', 1, 2),
  'api.github.com/repos/tides/huge': { ...github('tides/huge', 1, 2), description: 'x'.repeat(200_000) },
  'api.github.com/repos/tides/imprecise': { ...github('tides/imprecise', 1, 2), id: 2 ** 53 },
  'gitlab.com/api/v4/projects/tides%2Fgauges%2Fcode': {
    ...{ id: 77, path_with_namespace: 'tides/gauges/code', namespace: { id: 78, full_path: 'tides/gauges' } },
  },
};

export async function startRepositoryApis(): Promise<RepositoryApis> {
  const requests: RepositoryApis['requests'] = [];
  const otherHosts: string[] = [];
  const { key, certificate: cert } = await openLocalCertificate(undefined, Date.now);
  const apis = createSecureServer({ key, cert }, ({ headers, url = '' }, response) => {
    const asked = `${headers.host}${url}`;
    requests.push({ url: asked, headers });
    const answer = answers[asked];
    response.setHeader('access-control-allow-origin', '*');
    if (typeof answer === 'string') return void response.writeHead(301, { location: answer }).end();
    if (typeof answer === 'number') return void response.writeHead(answer).end('{"message":"no"}');
    // Requests to other URLs get no answer.
    if (answer !== undefined) response.end(JSON.stringify(answer));
  });
  const port = await listenOnLoopback(apis, 0);
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    if (url !== 'api.github.com:443' && url !== 'gitlab.com:443') {
      otherHosts.push(url);
      return void client.destroy();
    }
    const server = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    for (const socket of [server, client]) socket.on('error', () => server.destroy());
  });
  const proxyUrl = `http://127.0.0.1:${await listenOnLoopback(proxy, 0)}`;
  const close = () => {
    for (const server of [proxy, apis]) {
      server.closeAllConnections();
      server.close();
    }
  };
  return { proxyUrl, requests, otherHosts, close };
}
