import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { handler as exchangeCredentials } from '../../functions/edge/exchange-credentials.ts';
import { handler as serveObject } from '../../functions/edge/serve-object.ts';
import { createRoleCredentialSource } from '../../lib/edge/assumed-roles.ts';
import { CachedDataAccess } from '../../lib/edge/cached-data-access.ts';
import { systemRandom } from '../../lib/lambda/random.ts';
import { openTable } from '../../lib/lambda/table.ts';
import type { DynamoDbEndpoint } from '../../lib/local/dynamodb/engine.ts';
import { localUserIssuer, userClientsOf, withStoredIssuer } from '../../lib/local/oidc/user-tokens.ts';
import type { LocalService } from '../../lib/local/service.ts';
import { type SigningCredentials, signRequest } from '../../lib/sigv4/sign.ts';
import { DataAccessStore } from '../../lib/store/data-access.ts';
import { TableExchangeStore } from '../../lib/store/exchange.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { fetchJson } from '../../lib/sts/fetch-json.ts';
import { createIssuerKeyCache } from '../../lib/sts/issuer-keys.ts';
import { createExchangeThrottle } from '../../lib/sts/throttle.ts';
import { createIdentityTokenVerifier } from '../../lib/sts/token-verifier.ts';
import { noExchange, requestEvent } from '../lib/edge/event-builders.ts';
import { watchRequests } from '../service/watched-requests.ts';

/** The manifest that this test returns for every version. Storage has none, because these requests never reach it. */
const page = { first: 'object', sha256: '', entries: 1 };
const entry = { key: 'object', size: 1, etag: 'etag', version_id: 'version', modified: 0 };
const oneObject = { pages: async () => [page], entries: async () => [entry] };

/** A fault between an instance and the table. */
export type Fault = 'none' | 'feed unreadable' | 'database answers errors';

export const audience = 'https://data.example.org';

/** A warm edge instance: both functions, with their own cache and connection to the table. */
export interface EdgeInstance {
  /** The result of a probe: `allowed`, or the status of the refusal. */
  /** Sends a signed request, or an unsigned one without credentials. */
  send(method: 'GET' | 'PUT', path: string, credentials: SigningCredentials | undefined): Promise<Outcome>;
  exchange(roleArn: string, token: string): Promise<{ outcome: Outcome; document: string }>;
  fault: Fault;
  close(): void;
}
export type Outcome = 'allowed' | number;

/** Creates instances with the secrets of one deployment. */
export function edgeInstances(
  count: number,
  { services, identity }: Pick<LocalService, 'services' | 'identity'>,
  { dynamodb, tableName }: { dynamodb: DynamoDbEndpoint; tableName: string },
): EdgeInstance[] {
  const { clock, connectionSecrets, apiKeyMasters, sessionKeys, assumeRole } = services;
  const ignore = () => undefined;
  return Array.from({ length: count }, () => {
    const client = new DynamoDBClient(dynamodb);
    const table = openTable(client, tableName);
    const access = new CachedDataAccess(
      new DataAccessStore(table),
      { secrets: connectionSecrets, roles: createRoleCredentialSource(assumeRole, 'local', clock) },
      clock,
      {
        feed: new TableRevocationFeed(table),
        report: ignore,
      },
    );
    const serve = serveObject.withServices({
      ...noExchange,
      openManifest: () => oneObject,
      clock: clock,
      access,
      sessionKeys,
      apiKeyMasters,
      log: ignore,
    });
    const exchange = exchangeCredentials.withServices({
      clock: clock,
      random: systemRandom,
      store: new TableExchangeStore(table),
      sessionKeys,
      identityTokens: withStoredIssuer(
        createIdentityTokenVerifier({
          issuers: [{ issuer: identity.ci.issuer, kind: 'github', algorithms: ['RS256'] }],
          userClients: async () => userClientsOf(identity.people),
          findKeys: createIssuerKeyCache({ fetchJson, clock: clock }),
          clock: clock,
        }),
        localUserIssuer,
      ),
      throttle: createExchangeThrottle({ per_ip_per_minute: 1e6, per_key_per_minute: 1e6 }, clock),
      audience: () => audience,
      log: ignore,
    });
    const instance: EdgeInstance = {
      fault: 'none',
      close: () => client.destroy(),
      async send(method, path, credentials) {
        const unsigned = { method, rawPath: path, rawQuery: '', headers: { host: 'data.example.org' } };
        const signing = { now: clock(), region: 'anywhere-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' };
        const headers = credentials === undefined ? unsigned.headers : signRequest(unsigned, credentials, signing);
        const result = await serve(requestEvent({ method, uri: path, headers }));
        return 'uri' in result ? 'allowed' : Number(result.status);
      },
      async exchange(roleArn, token) {
        const result = await exchange(requestEvent(exchangeRequest(roleArn, token)));
        if ('uri' in result) throw new Error('an exchange is never forwarded');
        return { outcome: result.status === '200' ? 'allowed' : Number(result.status), document: result.body ?? '' };
      },
    };
    watchRequests(({ input }) => {
      const isFeed = JSON.stringify(input['ExpressionAttributeValues'] ?? {}).includes('FEED#');
      if (instance.fault === 'database answers errors' || (instance.fault === 'feed unreadable' && isFeed)) {
        throw Object.assign(new Error('injected'), { name: 'InternalServerError' });
      }
    }).instrument(client);
    return instance;
  });
}

function exchangeRequest(roleArn: string, token: string) {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'bounds',
    WebIdentityToken: token,
  });
  return {
    method: 'POST',
    uri: '/.sts',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      action: 'read-only' as const,
      data: Buffer.from(form.toString()).toString('base64'),
      encoding: 'base64' as const,
      inputTruncated: false,
    },
  };
}
