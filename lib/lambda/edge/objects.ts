import { createRoleCredentialSource } from '../../edge/assumed-roles.ts';
import { CachedDataAccess } from '../../edge/cached-data-access.ts';
import { readEdgeConfig } from '../../edge/config.ts';
import type { ObjectServices } from '../../edge/object-handler.ts';
import { DataAccessStore } from '../../store/data-access.ts';
import { TableRevocationFeed } from '../../store/revocation-feed.ts';
import { createAssumeRole, issueStorageTokens } from '../aws/assume-role.ts';
import { createConnectionSecretOpener, createStorageIssuer } from '../aws/kms.ts';
import { createHomeRegionSecret, createHomeRegionTable } from './home-region.ts';
import { edgeLog } from './log.ts';
import { createStorageReports } from './storage-reports.ts';

export function createDeployedObjects(): ObjectServices {
  const config = readEdgeConfig();
  const region = config.home_region;
  const secrets = createConnectionSecretOpener({ region }, config.connection_key_id);
  const table = createHomeRegionTable(config);
  const issuer = config.storage_issuer;
  // Use the KMS keys of the edge region, which are replicas.
  const storageIssuer =
    issuer && createStorageIssuer(issuer, { ...failFast, triesMax: 2, region: 'us-east-1' }, Date.now);
  const assumeRole = createAssumeRole(
    { ...failFast, triesMax: 2, region },
    issueStorageTokens(storageIssuer, Date.now),
  );
  const roles = createRoleCredentialSource(assumeRole, issuer?.deployment_id ?? '', Date.now);
  const storageHealth = createStorageReports(table);
  return {
    clock: Date.now,
    storageHealth,
    access: new CachedDataAccess(
      new DataAccessStore(table),
      { secrets, roles: storageHealth.watching(roles) },
      Date.now,
      {
        feed: new TableRevocationFeed(createHomeRegionTable(config, failFast)),
        report: (failure) => edgeLog({ request_id: 'revocation feed', failure }),
      },
    ),
    sessionKeys: createHomeRegionSecret(config, config.session_key_secret_name),
    apiKeyMasters: createHomeRegionSecret(config, config.api_key_master_secret_name),
    ...(config.virtual_host_base === undefined ? {} : { virtualHostBase: config.virtual_host_base }),
    ...(storageIssuer === undefined ? {} : { storageIssuer }),
    log: edgeLog,
    site: config.site,
    // The bundler puts this import into a separate file (see `lateParts` in lib/stacks/bundle.ts). Each of the two
    // files has its own copy of every class, so objects of classes cannot be shared between them.
    loadExchange: async () => (await import('./exchange.ts')).createDeployedExchangeHandler(),
  };
}

/**
 * Allow one attempt of at most 2 s to read the change feed, because requests wait for it but can continue without it.
 * AssumeRole gets two attempts of this length.
 */
const failFast = { triesMax: 1, timeoutMs: 2000 };
