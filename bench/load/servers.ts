import http, { type Server } from 'node:http';
import type { LocalStorage } from '../../lib/local/embedded-storage.ts';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { type Child, childArgument, runAsChild, startChild } from '../child-process.ts';
import type { SeededService } from '../seeded-service.ts';

export type LoadedService = Pick<SeededService, 'apiUrl' | 'dataUrl' | 'storage' | 'key'> & {
  ciToken: string;
  /** A token of the seeded user. */
  userToken: string;
};
/** The URL of a server. */
export interface Bare {
  url: string;
}

/** The servers that a benchmark starts, each in a separate process. Each process loads only the code that it needs. */
const servers = {
  async storage(): Promise<LocalStorage> {
    const { startEmbeddedStorage } = await import('../../lib/local/embedded-storage.ts');
    const started = new AsyncDisposableStack();
    const storage = await startEmbeddedStorage({}, Buffer.from('load'), Date.now, started);
    runAsChild(storage, () => started.disposeAsync());
    return storage;
  },
  async service(storage?: LocalStorage): Promise<LoadedService> {
    const { startSeededService, unlimited } = await import('../seeded-service.ts');
    const { ciToken } = await import('../../test/service/data-clients.ts');
    const { userToken } = await import('../../test/service/user-tokens.ts');
    const service = await startSeededService({ storage, throttles: unlimited });
    const { apiUrl, dataUrl, key } = service;
    const tokens = { ciToken: await ciToken(service), userToken: await userToken(service, 'ada') };
    const started = { apiUrl, dataUrl, storage: service.storage, key, ...tokens };
    runAsChild(started, () => service.close());
    return started;
  },
  /** A minimal proxy in Node without functions, rules, checks, and error handling. */
  async passThrough(target: string): Promise<Bare> {
    const { hostname, port } = new URL(target);
    const agent = new http.Agent({ keepAlive: true });
    const server = http.createServer((viewer, response) => {
      const { method, url, rawHeaders } = viewer;
      const forwarded = http.request({ agent, hostname, port, method, path: url, headers: rawHeaders }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
        answer.pipe(response);
      });
      if (method === 'GET') forwarded.end();
      else viewer.pipe(forwarded);
    });
    return serve(server, () => agent.destroy());
  },
  /** A minimal server in Node. It fetches the responses at these URLs once, and then returns copies from memory. */
  async copies(urls: readonly string[]): Promise<Bare> {
    const copies = new Map<string, { headers: Record<string, string>; body: Buffer }>();
    for (const url of urls) {
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
    return serve(server);
  },
};

async function serve(server: Server, onClose: () => void = () => undefined): Promise<Bare> {
  const started = { url: `http://127.0.0.1:${await listenOnLoopback(server, 0)}` };
  runAsChild(started, async () => {
    server.closeAllConnections();
    server.close();
    onClose();
  });
  return started;
}

type Servers = typeof servers;

/** Starts one of the servers in a separate process, so that it does not use the benchmark's own thread. */
export function startServer<Name extends keyof Servers>(
  name: Name,
  argument?: Parameters<Servers[Name]>[0],
): Promise<Child<Awaited<ReturnType<Servers[Name]>>>> {
  return startChild(new URL(import.meta.url), { name, argument });
}

if (import.meta.main) {
  const { name, argument } = childArgument<{ name: keyof Servers; argument: never }>();
  await servers[name](argument);
}
