import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OriginRequestHandler } from '../../lib/edge/handlers.ts';
import { createObjectHandler, type ObjectServices } from '../../lib/edge/object-handler.ts';
import { createResponseHandler } from '../../lib/edge/shape-response-handler.ts';
import { startEdge } from '../../lib/local/cloudfront/server.ts';
import { noExchange } from '../lib/edge/event-builders.ts';
import { bucket, credentials, openStore } from '../lib/local/s3/open-store.ts';
import { dataFixture, sessionOptions } from '../lib/s3/data-fixture.ts';

/** What the gate before the storage does with a request: pass it on and its answer back, or something else. */
export type Act = (pass: () => Promise<{ status: number; body: Buffer }>, response: ServerResponse) => unknown;

/** Goes through at the storage, and tells nobody. */
export const doneInSilence: Act = (pass) => pass();

const hastyMs = 1000;

export type SlowStorage = Awaited<ReturnType<typeof startSlowStorage>>;

/** The object function behind an edge, and a gate between it and the embedded store that makes it as slow as is wanted. */
export async function startSlowStorage() {
  const store = await openStore();
  const gate = await startGate(store.store.port);
  const failures: unknown[] = [];
  const world = dataFixture();
  const { readAccess } = world.deps.access;
  const details = { provider: 's3' as const, bucket, base_prefix: 'hidden/', region: 'us-east-1', endpoint: gate.url };
  const services: ObjectServices = {
    ...noExchange,
    ...world.deps,
    clock: Date.now,
    protocol: 'http',
    virtualHostBase: 'localhost',
    access: {
      ...world.deps.access,
      readAccess: async (...asked) => {
        const facts = await readAccess(...asked);
        return { ...facts, connection: facts.connection && { ...facts.connection, details } };
      },
      readConnectionCredentials: async () => ({ credentials, read_at: Date.now() }),
    },
    log: ({ failure }) => failures.push(failure),
  };
  const startEdgeOf = (serveObject: OriginRequestHandler) =>
    startEdge({
      port: 0,
      handlers: {
        serveObject,
        exchangeCredentials: async () => ({ status: '500' }),
        shapeResponse: createResponseHandler({
          isBucketMissing: async () => false,
          clock: Date.now,
          openDataCacheSeconds: 60,
          log: ({ failure }) => failures.push(failure),
        }),
      },
      random: { uuid: () => '', bytes: (length) => new Uint8Array(length) },
      onError: (failure) => failures.push(failure),
    });
  const edge = await startEdgeOf(createObjectHandler(services));
  const hastyEdge = await startEdgeOf(createObjectHandler({ ...services, answerWithinMs: hastyMs }));
  return {
    url: edge.url,
    /** The same behind an edge that gives up after a second. */
    hastyUrl: hastyEdge.url,
    gate,
    /** What was logged behind answers of 5xx. */
    failures,
    credentials: sessionCredentials(),
    /** The text of an object as the storage has it. */
    stored: async (key: string) => (await store.send({ path: `/${bucket}/hidden/tide-institute/${key}` })).body,
    reset: () => {
      gate.acts = [];
      gate.asked = [];
      failures.length = 0;
    },
    close: async () => {
      await Promise.all([edge.close(), hastyEdge.close()]);
      gate.close();
      await store.close();
    },
  };
}

function sessionCredentials() {
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { issued_at: seconds - 60, expires_at: seconds + 3600 };
  const { accessKeyId = '', secretAccessKey = '', sessionToken = '' } = sessionOptions(claims);
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** Stands before a storage; the requests to complete, and to copy, meet the next of its acts, all others pass. */
async function startGate(storagePort: number) {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const pass = () => passOn(storagePort, request, body);
    const isSlow = request.method === 'POST' || request.headers['x-amz-copy-source'] !== undefined;
    const act = isSlow && !request.url?.endsWith('?uploads=') ? started.acts.shift() : undefined;
    if (isSlow || request.method === 'HEAD') started.asked.push(request.method ?? '');
    if (act !== undefined) return act(pass, response);
    const answer = await pass();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const started = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    acts: [] as Act[],
    /** Methods of what could be slow, and of what asks about it. */
    asked: [] as string[],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return started;
}

async function passOn(port: number, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
  sent.on('response', resolve).on('error', reject).end(body);
  const answer = await promise;
  // How long a connection is kept is this server's to say.
  const { connection: _, 'keep-alive': __, ...headersOfAnswer } = answer.headers;
  return {
    status: answer.statusCode ?? 0,
    headers: headersOfAnswer,
    body: Buffer.concat(await answer.toArray()),
  };
}
