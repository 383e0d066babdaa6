import type { ServiceEvent } from '../domain/changes/events.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { ConnectionSecrets } from '../domain/secrets/connection-secrets.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import type { Site } from '../domain/site.ts';
import type { Clock } from '../domain/time.ts';
import type { AssumeRole } from '../edge/assumed-roles.ts';
import type { RequestLogEntry } from '../http/api-handler.ts';
import type { ResolveHost } from '../management/connection-test/probe.ts';
import type { ExchangeThrottles } from '../sts/throttle.ts';
import type { AnsweredRequest } from './access-log.ts';
import type { DynamoDbEndpoint } from './dynamodb/endpoint.ts';
import type { Instrumented } from './edge-table.ts';
import type { LocalStorage } from './embedded-storage.ts';
import type { KnownPerson } from './oidc/people-provider.ts';

export interface LocalServiceOptions {
  apiPort?: number;
  dataPort?: number;
  identityPort?: number;
  /** Makes the API and the data proxy speak https, with a certificate of their own. */
  https?: boolean;
  /** Keeps everything from one start to the next; in memory and a temporary folder without it. */
  dataDirectory?: string | undefined;
  dynamodb?: DynamoDbEndpoint | undefined;
  tableName?: string;
  storage?: LocalStorage | undefined;
  adminIdentityIds?: readonly string[];
  /** Whom the sign-in page offers. */
  people?: readonly KnownPerson[];
  /** By which name the issuer of people is remembered. */
  peopleIssuer?: string;
  /** Origins of pages that may call the management API; none by default. */
  corsOrigins?: readonly string[];
  /** CI systems beside the local one, which stays the first. */
  ciIssuers?: readonly CiIssuer[];
  /** What the pages say of this place. */
  site?: Site;
  /** How often the exchange takes a minute, where not the usual number. */
  throttles?: Partial<ExchangeThrottles>;
  /** For how long the edge keeps answers about open data, where not the usual time; 0 for not at all. */
  openDataCacheSeconds?: number;
  /** Where a secret scanning partner publishes its keys; without it there is no route for its reports. */
  secretScanningKeysUrl?: string;
  /** Moved by tests. People's tokens are checked with the machine's own time. */
  clock?: Clock;
  javaHome?: string | undefined;
  /** For connections that are reached through a role; on one machine there is no role to be. */
  assumeRole?: AssumeRole;
  /** Which IP addresses the host of a storage has, for tests of connections; the machine's own resolver without it. */
  resolveHost?: ResolveHost;
  log?: (line: LocalLogLine) => void;
  /** In place of secrets that stay the same, for tests that rotate them. */
  rotatingSecrets?: { sessionKeys: SecretSource; apiKeyMasters: SecretSource };
  /** For tests that count or refuse the requests to the table of the functions that answer somebody: of the edge and, last, of the API. */
  instrument?(client: Instrumented): void;
  /** The same for the functions that read the stream. */
  instrumentBackground?(client: Instrumented): void;
  /** The same for the key of the connections' credentials. */
  instrumentSecrets?: (secrets: ConnectionSecrets) => ConnectionSecrets;
}

export type LocalLogLine =
  | RequestLogEntry
  | { answered: AnsweredRequest }
  | { source: string; failure: unknown }
  | { source: 'event'; failure: undefined; event: ServiceEvent };
