import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { DataAccessStore } from '../store/data-access.ts';
import { TableRevocationFeed } from '../store/revocation-feed.ts';
import { CachedDataAccess } from './cached-data-access.ts';
import { readEdgeConfig } from './edge-config.ts';
import { edgeLog, homeSecret, homeTable } from './edge-home.ts';
import { createKmsConnectionSecrets } from './kms-connection-secrets.ts';
import type { ObjectServices } from './object-handler.ts';

/** The real dependencies of the deployed object function. */
export function deployedObjects(): ObjectServices {
  const config = readEdgeConfig();
  const secrets = createKmsConnectionSecrets(new KMSClient({ region: config.home_region }), config.connection_key_id);
  return {
    now: Date.now,
    access: new CachedDataAccess(new DataAccessStore(homeTable(config)), secrets, Date.now, {
      feed: new TableRevocationFeed(homeTable(config, promptly)),
      report: (failure) => edgeLog({ request_id: 'revocation feed', failure }),
    }),
    sessionKeys: homeSecret(config, config.session_key_secret_name),
    apiKeyMasters: homeSecret(config, config.api_key_master_secret_name),
    ...(config.virtual_host_base === undefined ? {} : { virtualHostBase: config.virtual_host_base }),
    log: edgeLog,
  };
}

/** Requests wait for a look into the feed, and can go on without it: one try, and not for long. */
const promptly: DynamoDBClientConfig = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 2000, throwOnRequestTimeout: true },
};
