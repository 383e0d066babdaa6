import * as z from 'zod';
import type { ServiceEvent } from '../domain/changes/events.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import { dataCiteSchema } from '../domain/citation/dois.ts';
import type { AccountConnections } from '../domain/data/connection-rules.ts';
import type { ConnectionSecrets } from '../domain/data/data-connections.ts';
import type { AssumeRole } from '../domain/data/role-requests.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import type { Site } from '../domain/site.ts';
import type { Clock } from '../domain/time.ts';
import type { RequestLogEntry } from '../http/api-handler.ts';
import type { FetchIssuerKeys } from '../issuers/fetch-keys.ts';
import type { ResolveHost } from '../s3/connection-test/probe.ts';
import type { ExchangeThrottles } from '../sts/throttle.ts';
import type { DynamoDbEndpoint } from './dynamodb/engine.ts';
import type { Instrumented } from './edge-table.ts';
import type { LocalStorage } from './embedded-storage.ts';
import type { KnownUser } from './oidc/sign-in-pages.tsx';
import type { AccessLogEntry } from './web-server.ts';

/** The account at DataCite and its password. */
export const localDataCiteSchema = dataCiteSchema.extend({ password: z.string().min(1) });
type LocalDataCite = z.output<typeof localDataCiteSchema>;

export interface LocalServiceOptions {
  apiPort?: number;
  dataPort?: number;
  identityPort?: number;
  /** True to use https with a generated certificate for the API and the data proxy. */
  https?: boolean;
  /** The folder in which all data is stored between starts. Without it, data is in memory and in a temporary folder. */
  dataDirectory?: string | undefined;
  dynamodb?: DynamoDbEndpoint | undefined;
  /** An engine that the caller starts and ends. Without it, the service starts its own engine. */
  engine?: Promise<DynamoDbEndpoint> | undefined;
  tableName?: string;
  storage?: LocalStorage | undefined;
  /**
   * True if the service's own storage keeps earlier versions of objects. Versions of repositories need this setting.
   */
  hasVersionedStorage?: boolean;
  adminIdentityIds?: readonly string[];
  /** The accounts that may connect their own storage. The default is `on`. */
  accountConnections?: AccountConnections;
  /** True if data connections of accounts may name storage on this machine. The default is false. */
  accountLoopbackEndpoints?: boolean;
  /** The users that the sign-in page offers. */
  users?: readonly KnownUser[];
  /** The name under which the table stores the issuer of users. */
  userIssuer?: string;
  /** The origins of web pages that may call the management API. By default, there are none. */
  corsOrigins?: readonly string[];
  /** Further CI issuers. The local issuer is always the first one. */
  ciIssuers?: readonly CiIssuer[];
  /** The account with which the service registers DOIs. */
  dataCite?: LocalDataCite | undefined;
  /** The site's name and texts. */
  site?: Site;
  /** The maximum numbers of exchange requests per minute. Numbers that are not set have their default. */
  throttles?: Partial<ExchangeThrottles>;
  /** The TTL of open data in the edge's cache. 0 disables caching. */
  openDataCacheSeconds?: number;
  /**
   * The URL of the public keys with which a secret scanning partner signs its reports. If absent, the service has no
   * route for such reports.
   */
  secretScanningKeysUrl?: string;
  /** A clock that tests can set. ID tokens of users still follow the machine's clock. */
  clock?: Clock;
  javaHome?: string | undefined;
  /** Assumes the IAM roles of data connections. By default, the local service can assume no role. */
  assumeRole?: AssumeRole;
  /** Resolves host names in connection tests and for registered issuers. The default is the machine's resolver. */
  resolveHost?: ResolveHost;
  /** Fetches the signing keys of a registered issuer. The default connects to the issuer's host. */
  fetchIssuerKeys?: FetchIssuerKeys;
  /** Minutes between two runs of the repository jobs. If absent, only `repositoryJobs.run` starts them. */
  repositoryJobsEveryMinutes?: number;
  log?: (line: LocalLogLine) => void;
  /** Secrets for tests that rotate them. The default secrets are fixed. */
  rotatingSecrets?: { sessionKeys: SecretSource; apiKeyMasters: SecretSource };
  /**
   * Adds middleware to the table clients of the functions that serve requests. It is called first for the edge's
   * client, and then for the API's client. Tests use it to count or refuse requests.
   */
  instrument?(client: Instrumented): void;
  /** Adds middleware to the table client of the stream consumers. */
  instrumentBackground?(client: Instrumented): void;
  /** Wraps the encryption of the data connections' credentials, so that tests can observe calls of it. */
  instrumentSecrets?: (secrets: ConnectionSecrets) => ConnectionSecrets;
}

export type LocalLogLine =
  | RequestLogEntry
  | { access: AccessLogEntry }
  | { source: string; failure: unknown }
  | { source: 'event'; failure: undefined; event: ServiceEvent };
