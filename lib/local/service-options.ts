import type { ServiceEvent } from '../domain/changes/events.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
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

export interface LocalServiceOptions {
  apiPort?: number;
  dataPort?: number;
  identityPort?: number;
  /** Makes the API and the data proxy use https with a generated certificate. */
  https?: boolean;
  /** Stores everything between starts. Without it, data is in memory and in a temporary folder. */
  dataDirectory?: string | undefined;
  dynamodb?: DynamoDbEndpoint | undefined;
  /** A starting engine of this process, which the caller ends. Without it, the service starts its own. */
  engine?: Promise<DynamoDbEndpoint> | undefined;
  tableName?: string;
  storage?: LocalStorage | undefined;
  adminIdentityIds?: readonly string[];
  /** The accounts that may connect their own storage. The default is `on`. */
  accountConnections?: AccountConnections;
  /** True if data connections of accounts may name storage on this machine. The default is false. */
  accountLoopbackEndpoints?: boolean;
  /** Identities on the sign-in page. */
  users?: readonly KnownUser[];
  /** Stored name of the issuer of users. */
  userIssuer?: string;
  /** Origins of pages that may call the management API. The default is none. */
  corsOrigins?: readonly string[];
  /** CI issuers in addition to the local one, which is the first. */
  ciIssuers?: readonly CiIssuer[];
  /** Name and texts of the site. */
  site?: Site;
  /** Requests to the exchange per minute, in place of the default. */
  throttles?: Partial<ExchangeThrottles>;
  /** TTL of open data in the edge's cache, in place of the default. 0 disables caching. */
  openDataCacheSeconds?: number;
  /** URL of a secret scanning partner's keys. Without it, there is no route for its reports. */
  secretScanningKeysUrl?: string;
  /** Clock that tests move. Tokens of users follow the machine's own time. */
  clock?: Clock;
  javaHome?: string | undefined;
  /** Assumes roles of data connections. The local service has no roles of its own. */
  assumeRole?: AssumeRole;
  /** Resolves the host of a storage in connection tests, and of an issuer. The default is the machine's resolver. */
  resolveHost?: ResolveHost;
  /** Fetches the keys of a registered issuer. The default connects to its host. */
  fetchIssuerKeys?: FetchIssuerKeys;
  log?: (line: LocalLogLine) => void;
  /** Secrets for tests that rotate them, in place of fixed ones. */
  rotatingSecrets?: { sessionKeys: SecretSource; apiKeyMasters: SecretSource };
  /**
   * Instruments the table clients of the functions that serve requests: first of the edge, then of the API. Tests count
   * or refuse requests with it.
   */
  instrument?(client: Instrumented): void;
  /** Instruments the table client of the stream consumers. */
  instrumentBackground?(client: Instrumented): void;
  /** Instruments the encryption of the connections' credentials. */
  instrumentSecrets?: (secrets: ConnectionSecrets) => ConnectionSecrets;
}

export type LocalLogLine =
  | RequestLogEntry
  | { access: AccessLogEntry }
  | { source: string; failure: unknown }
  | { source: 'event'; failure: undefined; event: ServiceEvent };
