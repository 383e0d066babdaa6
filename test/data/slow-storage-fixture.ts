import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { OriginRequestHandler } from '../../lib/edge/handlers.ts';
import { createObjectHandler, type ObjectServices } from '../../lib/edge/object-handler.ts';
import { createResponseHandler } from '../../lib/edge/shape-response-handler.ts';
import { startEdge } from '../../lib/local/cloudfront/server.ts';
import { noExchange } from '../lib/edge/event-builders.ts';
import { bucket, credentials, openStore } from '../lib/local/s3/open-store.ts';
import { dataFixture, sessionOptions } from '../lib/s3/data-fixture.ts';
import { serve } from '../service/http-server.ts';

/** Handles a request before it reaches the storage: forwards it, delays it, or answers differently. */
export type Act = (pass: () => Promise<{ status: number; body: Buffer }>, response: ServerResponse) => unknown;

/** Forwards the request to the storage, and sends no response. */
export const doneInSilence: Act = (pass) => pass();

const hastyMs = 1000;
const accountStorageMs = { headersMs: 200, wholeMs: 400 };

export type SlowStorage = Awaited<ReturnType<typeof startSlowStorage>>;

/**
 * Starts the object function behind an emulated edge, and a server that delays the embedded store as a test chooses.
 */
export async function startSlowStorage() {
  const store = await openStore();
  const gate = await startGate(store.store.port);
  const failures: unknown[] = [];
  let offsetMs = 0;
  const fixture = dataFixture();
  const { readAccess } = fixture.deps.access;
  const details = { provider: 's3' as const, bucket, base_prefix: 'hidden/', region: 'us-east-1', endpoint: gate.url };
  const services: ObjectServices = {
    ...noExchange,
    ...fixture.deps,
    clock: () => Date.now() + offsetMs,
    protocol: 'http',
    virtualHostBase: 'localhost',
    access: {
      ...fixture.deps.access,
      readAccess: async (...asked) => {
        const data = await readAccess(...asked);
        return { ...data, connection: data.connection && { ...data.connection, details } };
      },
      readConnectionCredentials: async () => ({ credentials, read_at: Date.now() }),
    },
    log: ({ failure }) => failures.push(failure),
  };
  const readOfAccount: typeof readAccess = async (...asked) => {
    const data = await services.access.readAccess(...asked);
    return { ...data, connection: data.connection && { ...data.connection, owner_account_id: 'tide-institute' } };
  };
  const startEdgeOf = (serveObject: OriginRequestHandler) =>
    startEdge({
      port: 0,
      handlers: {
        serveObject,
        exchangeCredentials: async () => ({ status: '500' }),
        shapeResponse: createResponseHandler({
          checkStorage: async () => undefined,
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
  const ofAccount = await startEdgeOf(
    createObjectHandler({ ...services, accountStorageMs, access: { ...services.access, readAccess: readOfAccount } }),
  );
  return {
    url: edge.url,
    /** URL of an edge that times out after one second. */
    hastyUrl: hastyEdge.url,
    /** URL of an edge on which the same storage belongs to an account. */
    ofAccountUrl: ofAccount.url,
    gate,
    /** Logged failures behind 5xx responses. */
    failures,
    credentials: sessionCredentials(),
    /** Moves the clock of the edge past the maximum time for storage of an account. */
    exceedAccountStorageTime: () => {
      offsetMs += accountStorageMs.wholeMs;
    },
    /** Returns the text of an object in the storage. */
    stored: async (key: string) => (await store.send({ path: `/${bucket}/hidden/tide-institute/${key}` })).body,
    reset: () => {
      gate.acts = [];
      gate.asked = [];
      failures.length = 0;
    },
    close: async () => {
      await Promise.all([edge.close(), hastyEdge.close(), ofAccount.close()]);
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

/**
 * Starts a gate before a storage. Completions and copies use the next behavior of the test, and all other requests
 * pass.
 */
async function startGate(storagePort: number) {
  const { url, close } = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const pass = () => passOn(storagePort, request, body);
    const isSlow = request.method === 'POST' || request.headers['x-amz-copy-source'] !== undefined;
    const act = isSlow && !request.url?.endsWith('?uploads=') ? started.acts.shift() : undefined;
    if (isSlow || request.method === 'HEAD') started.asked.push(request.method ?? '');
    if (act !== undefined) return act(pass, response);
    const answer = await pass();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const started = {
    url,
    close,
    acts: [] as Act[],
    /**
     * The HTTP methods of the delayed requests, and of the later requests with which the data proxy checks the result.
     */
    asked: [] as string[],
  };
  return started;
}

async function passOn(port: number, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
  sent.on('response', resolve).on('error', reject).end(body);
  const answer = await promise;
  // This server decides itself how long it keeps a connection open.
  const { connection: _, 'keep-alive': __, ...headersOfAnswer } = answer.headers;
  return { status: answer.statusCode ?? 0, headers: headersOfAnswer, body: Buffer.concat(await answer.toArray()) };
}
