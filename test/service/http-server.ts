import { createServer, type RequestListener } from 'node:http';
import { afterAll, onTestFinished } from 'vitest';
import { listenOnLoopback } from '../../lib/local/ports.ts';

/** Starts an HTTP server on this machine until the test ends. Returns its URL, without a path. */
export async function serveInTest(listener: RequestListener): Promise<string> {
  const { url, close } = await serve(listener);
  onTestFinished(close);
  return url;
}

/** Starts an HTTP server for the tests of this file. Call it at the top of the file. */
export async function serveInFile(listener: RequestListener): Promise<string> {
  const { url, close } = await serve(listener);
  afterAll(close);
  return url;
}

export async function serve(listener: RequestListener) {
  const server = createServer(listener);
  const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}
