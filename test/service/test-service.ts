import { randomUUID } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, onTestFinished } from 'vitest';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';
import type { LocalLogLine, LocalServiceOptions } from '../../lib/local/service-options.ts';
import type { ResolveHost } from '../../lib/s3/connection-test/probe.ts';
import { type Client, createClient } from './client.ts';
import { ExercisedRights, enforceRights, enforceSecretRights } from './enforced-rights.ts';
import { engineOfThisFile } from './engine-of-this-file.ts';
import { fetchExampleIssuers } from './example-issuers.ts';
import { userToken } from './user-tokens.ts';

export type { Answer, Client } from './client.ts';

export interface TestService extends LocalService {
  /** The rights that functions have used. */
  usedRights: ReadonlySet<string>;
  /** All logged lines. */
  logged: LocalLogLine[];
  /** Moves the clock of the service, except for user tokens. */
  advance(seconds: number): void;
  /** Returns a client for the user with this identity. */
  user(sub: string): Promise<Client>;
  anyone: Client;
  /** Returns a client that sends this Authorization header. */
  withAuthorization(authorization: string): Client;
}

/**
 * Starts the whole service on free ports with its own table. Tests should use `testService` or `forThisTest`, which
 * also close it.
 */
export async function startTestService(options: LocalServiceOptions = {}): Promise<TestService> {
  let offsetMs = 0;
  const logged: LocalLogLine[] = [];
  const rights = new ExercisedRights();
  const enforced = (instrument?: (client: DynamoDBClient) => void) => (client: DynamoDBClient) => {
    enforceRights(client, rights);
    instrument?.(client);
  };
  // Connections and issuers of tests name foreign hosts, which no test may reach.
  const resolveHost: ResolveHost =
    options.resolveHost ?? ((host) => Promise.reject(new Error(`no test reaches ${host}`)));
  const service = await startLocalService({
    dynamodb: engineOfThisFile(),
    tableName: `test-${randomUUID()}`,
    clock: () => Date.now() + offsetMs,
    // Responses are not cached, because most tests check the response of the functions.
    openDataCacheSeconds: 0,
    log: (line) => logged.push(line),
    fetchIssuerKeys: fetchExampleIssuers(resolveHost),
    ...options,
    resolveHost,
    instrument: enforced(options.instrument),
    instrumentBackground: enforced(options.instrumentBackground),
    instrumentSecrets: (secrets) => enforceSecretRights(secrets, rights),
  });
  if (service.authority !== undefined) {
    setDefaultCACertificates([...getCACertificates('default'), service.authority]);
  }
  const withAuthorization = (authorization: string): Client => createClient(service.apiUrl, { authorization });
  return {
    ...service,
    close: async () => {
      await service.close();
      refuseSecretsIn(logged);
      // Report missing rights at the end, because some tests tolerate a database failure, which could hide a missing
      // right.
      if (rights.missing[0] !== undefined) throw rights.missing[0];
    },
    usedRights: rights.used,
    logged,
    advance: (seconds) => {
      offsetMs += seconds * 1000;
    },
    anyone: createClient(service.apiUrl, {}),
    withAuthorization,
    user: async (sub) => withAuthorization(`Bearer ${await userToken(service, sub)}`),
  };
}

/** Starts a service for the tests of this file. Call it at the top of the file. */
export async function testService(options: LocalServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  afterAll(() => service.close());
  return service;
}

export async function forThisTest(options: LocalServiceOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  onTestFinished(() => service.close());
  return service;
}

/** Texts that no logged line may contain. Every test service checks its lines. */
const neverLogged: readonly (readonly [what: string, form: RegExp])[] = [
  ['a service-account key', /sck_[0-9A-Za-z]{30}/],
  ['a token', /eyJ[\w-]{8,}\.[\w-]+\./],
  ['an Authorization header', /Bearer [\w-]|AWS4-HMAC-SHA256 Credential/],
  ['the secret of an API key', /\b(?=[0-9A-Za-z]*[G-Zg-z])[0-9A-Za-z]{64}\b/],
  ['a query string', /[?&](?:cursor|list-type|prefix|X-Amz-[A-Za-z-]+)=/],
];

function refuseSecretsIn(lines: readonly LocalLogLine[]): void {
  for (const line of lines) {
    const text = inspect(line, { depth: 8 });
    for (const [what, form] of neverLogged) if (form.test(text)) throw new Error(`${what} was logged: ${text}`);
  }
}
