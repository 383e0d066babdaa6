import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { EdgeRequest } from '../domain/decision.ts';
import { DataAccessStore } from '../store/data-access.ts';
import { TableExchangeStore } from '../store/exchange.ts';
import { TableRevocationFeed } from '../store/revocation-feed.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import { issuerKeyCache } from '../sts/issuer-keys.ts';
import { identityTokenVerifier } from '../sts/token-verifier.ts';
import { CachedDataAccess } from './cached-data-access.ts';
import { systemChance } from './chance.ts';
import { type EdgeConfig, readEdgeConfig } from './edge-config.ts';
import type { EdgeLog, ExchangeServices, ObjectServices } from './edge-functions.ts';
import { createKmsConnectionSecrets } from './kms-connection-secrets.ts';
import { createSecretSource } from './secrets.ts';
import { openTable } from './table.ts';

const clock = Date.now;

/** The real dependencies of the deployed exchange. Everything it reads lies in the home region, wherever it runs. */
export function deployedExchange(): ExchangeServices {
  const config = readEdgeConfig();
  return {
    now: clock,
    chance: systemChance,
    store: new TableExchangeStore(homeTable(config)),
    sessionKeys: homeSecret(config, config.session_key_secret_name),
    identityTokens: identityTokenVerifier({
      issuers: config.ci_issuers,
      findKeys: issuerKeyCache({ fetchJson, now: clock }),
      now: clock,
    }),
    audience: (request) => audienceOf(config, request),
    log,
  };
}

export function deployedObjects(): ObjectServices {
  const config = readEdgeConfig();
  const secrets = createKmsConnectionSecrets(new KMSClient({ region: config.home_region }), config.connection_key_id);
  return {
    now: clock,
    access: new CachedDataAccess(new DataAccessStore(homeTable(config)), secrets, clock, {
      feed: new TableRevocationFeed(homeTable(config, promptly)),
      report: (failure) => log({ request_id: 'revocation feed', failure }),
    }),
    sessionKeys: homeSecret(config, config.session_key_secret_name),
    apiKeyMasters: homeSecret(config, config.api_key_master_secret_name),
    ...(config.virtual_host_base === undefined ? {} : { virtualHostBase: config.virtual_host_base }),
    log,
  };
}

/** Requests wait for a look into the feed, and can go on without it: one try, and not for long. */
const promptly: DynamoDBClientConfig = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 1000, throwOnRequestTimeout: true },
};

function homeTable(config: EdgeConfig, options: DynamoDBClientConfig = {}) {
  return openTable(new DynamoDBClient({ ...options, region: config.home_region }), config.table_name);
}

function homeSecret(config: EdgeConfig, name: string) {
  return createSecretSource(new SecretsManagerClient({ region: config.home_region }), name, clock);
}

/** Never the Host header, which the client writes. */
function audienceOf(config: EdgeConfig, request: EdgeRequest): string {
  return config.audience ?? `https://${request.distributionHost}`;
}

const log: EdgeLog = ({ request_id, failure }) => {
  const error = failure instanceof Error ? failure : new Error(String(failure));
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {};
  console.error(
    JSON.stringify({
      level: 'ERROR',
      request_id,
      error: error.name,
      message: error.message,
      ...cause,
      stack: error.stack,
    }),
  );
};
