import { randomUUID } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import {
  type LocalLogLine,
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from '../../lib/local/service.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

export interface TestService extends LocalService {
  /** Every line logged so far. */
  logged: LocalLogLine[];
  /** Moves the clock of everything but people's tokens. */
  advance(seconds: number): void;
  /** Sends requests as the person with this identity. */
  person(sub: string): Promise<Client>;
  anyone: Client;
  /** Sends requests with an Authorization header as given. */
  withAuthorization(authorization: string): Client;
}

/** The whole service on free ports with a table of its own; close it in `afterAll`, or let `forThisTest` do it. */
export async function startTestService(options: LocalServiceOptions = {}): Promise<TestService> {
  let offsetMs = 0;
  const logged: LocalLogLine[] = [];
  const service = await startLocalService({
    dynamodb: inject('dynamodb'),
    tableName: `test-${randomUUID()}`,
    clock: () => Date.now() + offsetMs,
    log: (line) => logged.push(line),
    ...options,
  });
  const withAuthorization = (authorization: string): Client => createClient(service.apiUrl, { authorization });
  return {
    ...service,
    logged,
    advance: (seconds) => {
      offsetMs += seconds * 1000;
    },
    anyone: createClient(service.apiUrl, {}),
    withAuthorization,
    person: async (sub) => withAuthorization(`Bearer ${await personToken(service, sub)}`),
  };
}

export async function forThisTest(options: LocalServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  onTestFinished(() => service.close());
  return service;
}

export async function personToken(service: Pick<LocalService, 'identity'>, sub: string): Promise<string> {
  const answer = await fetch(`${service.identity.url}/people/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sub }),
  });
  const { token } = (await answer.json()) as { token: string };
  return token;
}

function createClient(apiUrl: string, defaults: Record<string, string>): Client {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(path.startsWith('http') ? path : `${apiUrl}/api/v1${path}`, {
      method,
      headers: { ...defaults, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
}
