import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { handler as exchangeCredentials } from '../../functions/edge/exchange-credentials.ts';
import { handler as serveObject } from '../../functions/edge/serve-object.ts';
import { handler as followChanges } from '../../functions/streams/follow-changes.ts';
import { handler as propagateAccessChange } from '../../functions/streams/propagate-access-change.ts';
import { handler as runRepositoryJobs } from '../../functions/table/run-repository-jobs.ts';
import type { FeedReader } from '../../lib/domain/changes/revocation-feed.ts';
import { isForConsumer, type StreamConsumerName, streamConsumers } from '../../lib/domain/changes/stream-consumers.ts';
import type { Clock } from '../../lib/domain/time.ts';
import { CachedDataAccess } from '../../lib/edge/cached-data-access.ts';
import type { OriginRequestHandler } from '../../lib/edge/handlers.ts';
import type { ApiHandler } from '../../lib/http/api-handler.ts';
import type { ApiFunction } from '../../lib/lambda/functions/api-function.ts';
import type { ConnectionServices, IssuerServices, SealingServices } from '../../lib/lambda/services.ts';
import { buildEvent, type GatewayRequest } from '../../lib/local/api-gateway/event.ts';
import { compileRoutes } from '../../lib/local/api-gateway/routes.ts';
import { createFixedSecret, createLocalConnectionSecrets } from '../../lib/local/secrets.ts';
import { routePath } from '../../lib/operations/operation.ts';
import { registry } from '../../lib/operations/registry.ts';
import type { FetchStorage } from '../../lib/s3/storage-fetch.ts';
import { type SigningCredentials, signRequest } from '../../lib/sigv4/sign.ts';
import { KeyExpiryMarkerStore } from '../../lib/store/api-keys/key-expiry-markers.ts';
import { DataAccessStore } from '../../lib/store/data-access.ts';
import { EndedSessionStore } from '../../lib/store/ended-sessions.ts';
import { TableExchangeStore } from '../../lib/store/exchange.ts';
import { RefusedSignInAudit } from '../../lib/store/refused-sign-in-audit.ts';
import { RepositoryJobStore } from '../../lib/store/repositories/repository-jobs.ts';
import { RepositoryVersionStore } from '../../lib/store/repositories/repository-versions.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { createStore } from '../../lib/store/store.ts';
import { Table } from '../../lib/store/table.ts';
import type { StreamHandler } from '../../lib/streams/stream-records.ts';
import { createIssuerKeyCache } from '../../lib/sts/issuer-keys.ts';
import { createExchangeThrottle } from '../../lib/sts/throttle.ts';
import { createIdentityTokenVerifier } from '../../lib/sts/token-verifier.ts';
import { noExchange, requestEvent } from '../lib/edge/event-builders.ts';
import { TestIssuer } from '../lib/sts/test-issuer.ts';
import { type Kernel, type RequestFault, requestFaults, type Tampering, type Task } from './kernel.ts';
import { queueOf, streamRecordOf, type TableChange } from './memory-table/memory-table.ts';
import { Random, randomSource } from './random.ts';
import { SimulatedStorage } from './storage.ts';

/** Changes to the service that a planted fault makes. */
export interface Plant {
  send?: Tampering;
  feed?: (feed: FeedReader) => FeedReader;
  /** The clock of the caches of an edge instance. */
  cacheClock?: (clock: Clock) => Clock;
  consumer?: (handler: StreamHandler, name: StreamConsumerName) => StreamHandler;
  /** The clock and stores of the exchange and the management API. */
  object?: (handler: OriginRequestHandler) => OriginRequestHandler;
  storage?: (fetch: FetchStorage) => FetchStorage;
}

export const edgeCount = 2;
export const dataProxyUrl = 'https://data.example.org';
const peopleIssuer = 'https://people.example.org';
const apiLimitMs = 30_000;
const edgeLimitMs = 30_000;
const streamLimitMs = 30_000;
const repositoryJobLimitMs = 900_000;
export const repositoryJobNode = 'run-repository-jobs';
const queueCount = 4;
const key = (seed: number) => Buffer.alloc(32, seed);

export const ciIssuer = TestIssuer.create('https://token.actions.githubusercontent.com');
const findRoute = compileRoutes(registry.map((one) => ({ method: one.method, path: routePath(one), name: one.name })));
const functionModules = new Map<string, ApiFunction>();
const sessionKeys = createFixedSecret(key(1));
const apiKeyMasters = createFixedSecret(key(2));
const connectionSecrets = createLocalConnectionSecrets(key(3));
const ignore = () => undefined;

/** Loads the functions before a history starts, because a history must not wait for the disk. */
export async function loadFunctions(): Promise<void> {
  for (const { group, name } of registry) {
    functionModules.set(name, (await import(`../../functions/${group}/${name}.ts`)).handler);
  }
}

/** The sender of a request, and the fault that affects the request. */
export interface Sending {
  label: string;
  fault?: { kind: RequestFault; request: number } | undefined;
}

export interface Answered {
  task: Task;
  /** The response. Undefined when the function crashed or did not answer in time. */
  status: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are read
  body: any;
  /** The header `Retry-After`. */
  retryAfter?: string | undefined;
  /** The storage location of a forwarded request. */
  location?: string;
}

/** Composes the deployed functions on a kernel, as `lib/local/service.ts` composes them on one machine. */
export class SimulatedService {
  readonly kernel: Kernel;
  readonly storage: SimulatedStorage;
  readonly fetchStorage: FetchStorage;
  readonly #plant: Plant;
  readonly #random: Random;
  readonly #handlers = new Map<string, ApiHandler>();
  readonly #services: ConnectionServices & SealingServices & IssuerServices;
  readonly #edges: ({ exchange: OriginRequestHandler; serve: OriginRequestHandler } | undefined)[] = [];
  readonly #queues: BatchQueue[] = [];
  readonly failures: string[] = [];
  /** The objects that the data proxy wrote to storage, in order. */
  readonly writes: { at: number; name: string }[] = [];
  readonly #runRepositoryJobs: (event: unknown) => Promise<void>;
  #repositoryJobs: Random | undefined;

  constructor(kernel: Kernel, seed: string, plant: Plant = {}) {
    this.kernel = kernel;
    this.#plant = plant;
    this.#random = new Random(seed, 'service');
    this.storage = new SimulatedStorage(kernel, new Random(seed, 'storage'));
    this.fetchStorage = plant.storage?.(this.storage.fetch) ?? this.storage.fetch;
    const store = createStore(this.#tableOf('api'));
    const clock = () => kernel.clockOf('api');
    this.#services = {
      store,
      requestData: store.requestData,
      idempotency: store.idempotency,
      userTokens: { verify: async (token) => ({ issuer: peopleIssuer, identity_id: token }) },
      apiKeyMasters,
      adminIdentityIds: new Set(['admin']),
      connectionSecrets,
      resolveHost: () => Promise.reject(new Error('the simulation resolves no hosts')),
      fetchIssuerKeys: async () => ({ failure: 'unreachable' }) as never,
      userIssuer: peopleIssuer,
      sessionKeys,
      ciIssuers: [{ issuer: ciIssuer.url, kind: 'github', algorithms: ['RS256', 'ES256'] }],
      dataProxy: () => ({ url: dataProxyUrl, audience: dataProxyUrl }),
      accountConnections: 'on',
      allowsLoopbackEndpoints: false,
      allowsAccountLoopbackEndpoints: false,
      deploymentHosts: () => [],
      assumeRole: () => Promise.reject(new Error('the simulation assumes no roles')),
      clock,
      random: randomSource(this.#random),
      log: ({ cause }) => this.#report(cause),
    };
    const jobs = this.#tableOf(repositoryJobNode);
    const access = new DataAccessStore(jobs);
    this.#runRepositoryJobs = runRepositoryJobs.withServices({
      versions: new RepositoryVersionStore(jobs),
      jobs: new RepositoryJobStore(jobs),
      readConnection: (id) => access.readConnection(id),
      secrets: connectionSecrets,
      roles: () => Promise.reject(new Error('no connection has a role')),
      clock: () => kernel.clockOf(repositoryJobNode),
      pause: (milliseconds) => kernel.wait(milliseconds),
      log: (failure) => this.#report(failure),
      fetchStorage: this.fetchStorage,
    });
    kernel.onCrash = (node) => {
      for (let edge = 0; edge < edgeCount; edge += 1) if (node === nodeOf(edge)) this.restartEdge(edge);
    };
    this.#startConsumers();
  }

  /** Ends an instance of a function. Its next request starts a new instance with empty caches. */
  restartEdge(edge: number): void {
    this.#edges[edge] = undefined;
  }

  #startEdge(edge: number) {
    const { kernel } = this;
    const node = nodeOf(edge);
    const table = this.#tableOf(node);
    const clock = () => kernel.clockOf(node);
    const log = ({ failure }: { failure: unknown }) => this.#report(failure);
    const { feed = (same) => same, cacheClock = (same) => same, object = (same) => same } = this.#plant;
    const access = new CachedDataAccess(
      new DataAccessStore(table),
      { secrets: connectionSecrets, roles: () => Promise.reject(new Error('no connection has a role')) },
      cacheClock(clock),
      { feed: feed(new TableRevocationFeed(table)), report: ignore },
    );
    const { fetchStorage } = this;
    const objects = { ...noExchange, clock, access, sessionKeys, apiKeyMasters, log, fetchStorage };
    const serve = serveObject.withServices(objects);
    const identityTokens = createIdentityTokenVerifier({
      issuers: this.#services.ciIssuers,
      userClients: async () => undefined,
      findKeys: createIssuerKeyCache({ fetchJson: ciIssuer.fetchJson, clock }),
      clock,
    });
    const exchange = exchangeCredentials.withServices({
      clock,
      random: randomSource(this.#random),
      store: new TableExchangeStore(table),
      sessionKeys,
      identityTokens: { verify: (token, audience) => kernel.outside(() => identityTokens.verify(token, audience)) },
      throttle: createExchangeThrottle({ per_ip_per_minute: 1e6, per_key_per_minute: 1e6 }, clock),
      audience: () => dataProxyUrl,
      log,
    });
    const instance = { exchange, serve: object(serve) };
    this.#edges[edge] = instance;
    return instance;
  }

  /** Sends a management request with `Bearer <identity>`, or with an API key. */
  async manage(
    sending: Sending,
    authorization: string,
    method: string,
    path: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<Answered> {
    const url = `/api/v1${path}`;
    const match = findRoute(method, url.split('?')[0] ?? '');
    if (match === undefined) throw new Error(`no route ${method} ${path}`);
    const handler = this.#handlerOf(match.route.name);
    const headers = {
      authorization: [authorization],
      ...(body === undefined ? {} : { 'content-type': ['application/json'] }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': [idempotencyKey] }),
    };
    const request = {
      method,
      url,
      headersDistinct: headers,
      httpVersion: '1.1',
      socket: {},
    } as unknown as GatewayRequest;
    const given = { node: 'api', random: new Random(sending.label), fault: sending.fault };
    const { task, result } = await this.kernel.run(given, apiLimitMs, () => {
      const sent = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const event = buildEvent({ request, match, body: sent, requestId: sending.label, now: this.kernel.now });
      return handler(event as APIGatewayProxyEventV2, { awsRequestId: sending.label } as Context);
    });
    const text = result?.body;
    const { 'retry-after': retryAfter } = result?.headers ?? {};
    const answered = { task, status: result?.statusCode, body: text ? JSON.parse(text) : undefined };
    return retryAfter === undefined ? answered : { ...answered, retryAfter: String(retryAfter) };
  }

  async exchange(sending: Sending, edge: number, roleArn: string, token: string): Promise<Answered> {
    const form = new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: roleArn,
      RoleSessionName: 'simulation',
      WebIdentityToken: token,
    });
    const event = requestEvent({
      method: 'POST',
      uri: '/.sts',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: {
        action: 'read-only',
        data: Buffer.from(`${form}`).toString('base64'),
        encoding: 'base64',
        inputTruncated: false,
      },
    });
    const { task, result } = await this.#atEdge(sending, edge, 'exchange', event);
    if (result === undefined || 'uri' in result) return { task, status: undefined, body: undefined };
    const retryAfter = result.headers?.['retry-after']?.[0]?.value;
    return { task, status: Number(result.status), body: credentialsIn(result.body ?? ''), retryAfter };
  }

  /** Sends a request for an object. A forwarded request reaches storage, and its status is 200. */
  async object(
    sending: Sending,
    edge: number,
    method: 'GET' | 'PUT' | 'DELETE',
    path: string,
    credentials: SigningCredentials | undefined,
    content = '',
  ): Promise<Answered> {
    const [rawPath = '', rawQuery = ''] = path.split('?');
    const unsigned = { method, rawPath, rawQuery, headers: { host: 'data.example.org' } };
    const signing = { now: this.kernel.now, region: 'anywhere-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' };
    const headers = credentials === undefined ? unsigned.headers : signRequest(unsigned, credentials, signing);
    const { task, result } = await this.#atEdge(
      sending,
      edge,
      'serve',
      requestEvent({ method, uri: rawPath, querystring: rawQuery, headers }),
    );
    if (result === undefined) return { task, status: undefined, body: undefined };
    if (!('uri' in result)) {
      const retryAfter = result.headers?.['retry-after']?.[0]?.value;
      return { task, status: Number(result.status), body: result.body, retryAfter };
    }
    const location = `${result.origin?.custom?.domainName}${result.origin?.custom?.path}${result.uri}`;
    const name = decodeURIComponent(location.slice(location.indexOf('/') + 1));
    if (method === 'PUT') {
      this.writes.push({ at: this.kernel.now, name });
      this.storage.put(name, content);
    }
    const versionId = new URLSearchParams(result.querystring).get('versionId');
    return { task, status: 200, body: this.storage.find(name, versionId)?.content, location };
  }

  async #atEdge(
    { label, fault }: Sending,
    edge: number,
    handler: 'exchange' | 'serve',
    event: Parameters<OriginRequestHandler>[0],
  ) {
    const instance = this.#edges[edge] ?? this.#startEdge(edge);
    const given = { node: nodeOf(edge), random: new Random(label), fault };
    const ran = await this.kernel.run(given, edgeLimitMs, () => instance[handler](event));
    // Lambda ends an instance whose function crashed or exceeded its time limit.
    if (ran.result === undefined && this.#edges[edge] === instance) this.restartEdge(edge);
    return ran;
  }

  /** Runs the scheduled job soon, and then every minute. In histories with faults, some runs fail. */
  scheduleRepositoryJobs(isCalm: boolean): void {
    if (this.#repositoryJobs !== undefined) return;
    const random = new Random(this.#random.below(2 ** 31), repositoryJobNode);
    this.#repositoryJobs = random;
    const runAt = (time: number) =>
      this.kernel.at(time, () => {
        const isFaulty = !isCalm && random.chance(0.2);
        const fault = isFaulty ? { kind: random.one(requestFaults), request: random.below(8) } : undefined;
        void this.runRepositoryJobs({ label: `${repositoryJobNode} ${time}`, fault });
        runAt(time + 60_000);
      });
    runAt(this.kernel.now + random.below(3000));
  }

  /** Runs the scheduled job once. It continues the jobs that are due. */
  async runRepositoryJobs(sending: Sending): Promise<void> {
    const given = { node: repositoryJobNode, random: new Random(sending.label), fault: sending.fault };
    await this.kernel.run(given, repositoryJobLimitMs, async () => {
      // The next scheduled run repeats the work of a failed run.
      await this.#runRepositoryJobs({}).catch((failure) => this.#report(failure));
      return true;
    });
  }

  /** Delivers the last changes of both consumers again, as a stream may do. */
  replay(count: number): void {
    for (const queue of this.#queues) queue.replay(count);
  }

  #tableOf(node: string): Table {
    return new Table(
      this.kernel.sender(() => node),
      'simulated',
      this.kernel.pause,
    );
  }

  #handlerOf(name: string): ApiHandler {
    const known = this.#handlers.get(name);
    if (known !== undefined) return known;
    const handler = functionModules.get(name)?.withServices(this.#services);
    if (handler === undefined) throw new Error(`the function ${name} is not loaded`);
    this.#handlers.set(name, handler);
    return handler;
  }

  #startConsumers(): void {
    const { kernel } = this;
    const log = ({ failure }: { failure: unknown }) => this.#report(failure);
    const access = this.#tableOf('propagate-access-change');
    const changes = this.#tableOf('follow-changes');
    const handlers: Record<StreamConsumerName, StreamHandler> = {
      'propagate-access-change': propagateAccessChange.withServices({
        feed: new TableRevocationFeed(access),
        endedSessions: new EndedSessionStore(access),
        invalidations: { send: async () => undefined },
        clock: () => kernel.clockOf('propagate-access-change'),
        log,
      }),
      'follow-changes': followChanges.withServices({
        store: createStore(changes),
        refusedSignIns: new RefusedSignInAudit(changes),
        expiryMarkers: new KeyExpiryMarkerStore(changes),
        events: { publish: async () => new Set() },
        clock: () => kernel.clockOf('follow-changes'),
        log,
      }),
    };
    for (const name of Object.keys(handlers) as StreamConsumerName[]) {
      const handler = this.#plant.consumer?.(handlers[name], name) ?? handlers[name];
      for (let queue = 0; queue < queueCount; queue += 1) {
        this.#queues.push(
          new BatchQueue(kernel, name, queue, handler, new Random(this.#random.below(2 ** 31), name, queue)),
        );
      }
    }
    kernel.onCommit = (committed) => {
      for (const change of committed) {
        for (const queue of this.#queues) if (queue.isFor(change)) queue.add(change);
      }
    };
  }

  #report(failure: unknown): void {
    if (failure !== undefined) this.failures.push(String(failure));
  }
}

export function nodeOf(edge: number): string {
  return `edge-${edge}`;
}

/** One batch at a time of one consumer. Failed batches are delivered again. */
class BatchQueue {
  readonly #kernel: Kernel;
  readonly #name: StreamConsumerName;
  readonly #index: number;
  readonly #handler: StreamHandler;
  readonly #random: Random;
  readonly #pending: TableChange[] = [];
  readonly #delivered: TableChange[] = [];
  #isRunning = false;

  constructor(kernel: Kernel, name: StreamConsumerName, queue: number, handler: StreamHandler, random: Random) {
    this.#kernel = kernel;
    this.#name = name;
    this.#index = queue;
    this.#handler = handler;
    this.#random = random;
  }

  isFor(change: TableChange): boolean {
    const images = [change.before, change.after];
    const isWanted = images.some((image) => isForConsumer(streamConsumers[this.#name], image?.['entity']));
    return isWanted && queueOf(change, queueCount) === this.#index;
  }

  add(change: TableChange): void {
    this.#pending.push(change);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#kernel.at(this.#kernel.now + 20 + this.#random.below(1500), () => void this.#deliver());
  }

  replay(count: number): void {
    for (const change of this.#delivered.slice(-count)) this.add(change);
  }

  async #deliver(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.slice(0, 1 + this.#random.below(10));
      const done = await this.#deliverOnce(batch);
      this.#delivered.push(...this.#pending.splice(0, done));
      if (done < batch.length) await this.#kernel.wait(200);
    }
    this.#isRunning = false;
  }

  /** Returns the number of changes that the consumer has handled. */
  async #deliverOnce(batch: readonly TableChange[]): Promise<number> {
    const Records = batch.map(streamRecordOf);
    const given = { node: this.#name, random: new Random(this.#random.below(2 ** 31)) };
    const { result } = await this.#kernel
      .run(given, streamLimitMs, () => this.#handler({ Records }))
      .catch(() => ({ result: undefined }));
    if (result === undefined) return 0;
    const failed = result.batchItemFailures.map(({ itemIdentifier }) =>
      Records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === itemIdentifier),
    );
    return Math.max(0, Math.min(batch.length, ...failed));
  }
}

function credentialsIn(document: string): SigningCredentials | undefined {
  const read = (element: string) => new RegExp(`<${element}>([^<]+)</${element}>`).exec(document)?.[1];
  const [access_key_id, secret_access_key, session_token] = [
    read('AccessKeyId'),
    read('SecretAccessKey'),
    read('SessionToken'),
  ];
  if (access_key_id === undefined || secret_access_key === undefined || session_token === undefined) return undefined;
  return { access_key_id, secret_access_key, session_token };
}
