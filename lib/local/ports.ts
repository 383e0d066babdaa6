import { createServer, type Server } from 'node:net';

const loopbackAddress = '127.0.0.1';

/**
 * Listens on 127.0.0.1 and returns the port. Port 0 selects a free port.
 *
 * @param setting the name of the setting for the port; the error message contains it when another process uses the port
 * @throws LocalStartError when the port is in use or not allowed
 */
export async function listenOnLoopback(server: Server, port: number, setting?: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, loopbackAddress, resolve);
  try {
    await promise;
  } catch (error) {
    throw startErrorFor(error, port, setting);
  } finally {
    server.off('error', reject);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}

/** Returns a port that was free a moment ago. The caller must handle the case that another process has taken it. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server, 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
  return port;
}

function startErrorFor(error: unknown, port: number, setting: string | undefined): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const remedy = `${setting === undefined ? 'choose another port' : `set ${setting} to another port`} (0 picks a free one)`;
  if (code === 'EADDRINUSE') {
    return new LocalStartError(
      `Port ${port} on ${loopbackAddress} is taken: stop the program that uses it, or ${remedy}.`,
      { cause: error },
    );
  }
  if (code === 'EACCES') {
    return new LocalStartError(`Port ${port} needs more rights than this user has: ${remedy}.`, { cause: error });
  }
  return error;
}

/**
 * The reason why the local service cannot start: a sentence that tells the user what to do. It is printed without a
 * stack trace.
 */
export class LocalStartError extends Error {
  constructor(sentence: string, options: { cause?: unknown } = {}) {
    super(sentence, options);
    this.name = 'LocalStartError';
  }
}
