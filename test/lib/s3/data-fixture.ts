import { createHash } from 'node:crypto';
import type { ApiKeyRecord } from '../../../lib/domain/accounts/api-keys.ts';
import {
  type AuthorizationData,
  actingAccountId,
  type DataAccessReader,
  type DatedAuthorizationData,
  type HeldGrant,
  type Principal,
} from '../../../lib/domain/data/data-access.ts';
import type { DataConnection } from '../../../lib/domain/data/data-connections.ts';
import type { Decision, EdgeRequest, StorageRequest } from '../../../lib/domain/data/decision.ts';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import type { RepositoryVersionRecord } from '../../../lib/domain/data/repository-versions.ts';
import { deriveApiKeySecret } from '../../../lib/domain/secrets/api-key-secrets.ts';
import type { SecretVersion } from '../../../lib/domain/secrets/secret-versions.ts';
import {
  issueSessionCredentials,
  type SessionClaims,
  type SessionHolder,
} from '../../../lib/domain/secrets/session-credentials.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { decideObjectRequest, type ObjectDependencies } from '../../../lib/s3/decide.ts';
import { parseResource } from '../../../lib/s3/resource.ts';
import { createManifestCache } from '../../../lib/s3/versions/manifest-cache.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';
import { type SignerOptions, signingTime, signWithSmithy, type UnsignedRequest } from '../sigv4/signed-request.ts';

/** A small set of accounts and repositories in memory, with the rules that read them. */

export const now = signingTime;

const connection = (id: string, details: Partial<DataConnection['details']> = {}): DataConnection => ({
  data_connection_id: id,
  name: id,
  read_only: false,
  allowed_data_modes: ['open', 'subscription', 'private'],
  details: { provider: 's3', bucket: 'hidden-bucket', base_prefix: 'hidden/', region: 'eu-west-1', ...details },
  authentication: { type: 's3_access_key', access_key_id: 'AKSTORAGE', secret_access_key: 'storage secret' },
});

const repository = (
  repository_id: string,
  changes: Partial<RepositoryRecord> = {},
  on = 'main-store',
): RepositoryRecord => ({
  account_id: 'tide-institute',
  repository_id,
  state: 'listed',
  data_mode: 'private',
  featured: 0,
  meta: { title: '', description: '', tags: '' },
  data: {
    primary_mirror: on,
    mirrors: { [on]: { data_connection_id: on, prefix: `tide-institute/${repository_id}/` } },
  },
  published: '2026-01-01T00:00:00.000Z',
  updated: '2026-01-01T00:00:00.000Z',
  version: 1,
  disabled: false,
  uid: `uid of ${repository_id}`,
  ...changes,
});

const connections = [
  connection('main-store'),
  connection('other-store', { bucket: 'other-bucket' }),
  { ...connection('read-only-store'), read_only: true },
  connection('dotted-store', { bucket: 'hidden.bucket' }),
  connection('china-store', { region: 'cn-north-1' }),
  connection('endpoint-store', { endpoint: 'http://127.0.0.1:9000/base/' }),
];

const repositories = [
  repository('tide-gauges', { data_mode: 'open' }),
  repository('hidden-atlas', { data_mode: 'open', state: 'unlisted' }),
  repository('raw-drafts'),
  repository('ungranted'),
  repository('disabled-one', { data_mode: 'open', disabled: true }),
  repository('elsewhere', {}, 'other-store'),
  repository('frozen', {}, 'read-only-store'),
  repository('dotted', { data_mode: 'open' }, 'dotted-store'),
  repository('china', { data_mode: 'open' }, 'china-store'),
  repository('endpoint', { data_mode: 'open' }, 'endpoint-store'),
];

const secretVersion: SecretVersion = { version: 1, key: new Uint8Array(32).fill(7), created_at: 0 };
const apiKeyId = 'SCAKABCDEFGHIJKLMNOP';

export interface Fixture {
  deps: ObjectDependencies;
  status: Pick<AuthorizationData, 'serviceAccount' | 'owner'>;
  apiKey: ApiKeyRecord;
  /** Repositories of the account `tide-institute`. */
  repositories: readonly RepositoryRecord[];
  versions: RepositoryVersionRecord[];
  /** The maximum cache ages that the access rules requested, in seconds. */
  agesAsked: number[];
  reads: number;
}

export function dataFixture(): Fixture {
  const fixture: Fixture = {
    status: {
      serviceAccount: { uid: 'uid-1', disabled: false, times_disabled: 0, ended_sources: [], federated_only: false },
      owner: { account_id: 'tide-institute', account_type: 'organization', disabled: false },
    },
    apiKey: {
      access_key_id: apiKeyId,
      account_id: 'tide-institute',
      disabled: false,
      expires: toTimestamp(now + 3600_000),
      name: 'key',
      secret_version: 1,
      secret_hash: '',
      created_at: toTimestamp(0),
    },
    repositories,
    versions: [],
    agesAsked: [],
    reads: 0,
    deps: {
      clock: () => now,
      sessionKeys: async () => [secretVersion],
      apiKeyMasters: async () => [secretVersion],
      openManifest: createManifestCache({
        clock: () => now,
        timeoutMs: 10_000,
        accountStorage: { headersMs: 10_000, wholeMs: 10_000 },
      }),
      access: {
        readAccess: async (principal, path, ageMaxSeconds) => {
          fixture.reads += 1;
          fixture.agesAsked.push(ageMaxSeconds);
          return readRequestData(fixture, principal, path);
        },
        readVersion: async (versionsUid, name) => {
          const version = fixture.versions.find((one) => one.versions_uid === versionsUid && one.name === name);
          return { version, read_at: now };
        },
        readConnection: async (id) => {
          const found = connections.find((one) => one.data_connection_id === id);
          return { connection: found && { ...found, uid: `uid of ${id}` }, read_at: now };
        },
        readApiKey: async (accessKeyId, ageMaxSeconds) => {
          fixture.agesAsked.push(ageMaxSeconds);
          return accessKeyId === apiKeyId ? fixture.apiKey : undefined;
        },
        readRights: async (principal, ageMaxSeconds) => {
          fixture.agesAsked.push(ageMaxSeconds);
          const granted = repositories.filter(({ repository_id }) => repository_id !== 'ungranted');
          return {
            actingAccount: actingAccountOf(principal),
            roles: [],
            serviceAccount: principal.kind === 'service_account' ? fixture.status.serviceAccount : undefined,
            grants: new Map(granted.map(({ repository_id, uid }) => [repository_id, grantIn(uid)])),
          };
        },
        readRepositories: async (paths) =>
          fixture.repositories.filter(({ account_id, repository_id }) =>
            paths.some((path) => path.account_id === account_id && path.repository_id === repository_id),
          ),
        readAccounts: async (accountIds) => {
          const { owner } = fixture.status;
          return owner !== undefined && accountIds.includes(owner.account_id) ? [owner] : [];
        },
        readNames: async (accountId, share, { from, to, limit }) => {
          const due = fixture.repositories
            .filter(({ account_id, disabled }) => account_id === accountId && !disabled)
            .filter(({ state, data_mode }) => (state === 'listed' && data_mode === 'open') === (share === 'public'))
            .filter(({ repository_id }) => `${repository_id}/` >= from && `${repository_id}/` <= to)
            .sort((a, b) => (`${a.repository_id}/` < `${b.repository_id}/` ? -1 : 1));
          const items = due.slice(0, limit);
          return { items, next: items.length < due.length ? `${items.at(-1)?.repository_id}/` : undefined };
        },
        readConnectionCredentials: async ({ data_connection_id: id }) => {
          const { authentication } = connections.find((candidate) => candidate.data_connection_id === id) ?? {};
          return { credentials: authentication?.type === 's3_access_key' ? authentication : undefined, read_at: now };
        },
      } satisfies DataAccessReader,
    },
  };
  return fixture;
}

function readRequestData(
  fixture: Fixture,
  principal: Principal,
  path: { account_id: string; repository_id: string },
): DatedAuthorizationData {
  const isOwned = path.account_id === 'tide-institute';
  const found = isOwned
    ? fixture.repositories.find(({ repository_id }) => repository_id === path.repository_id)
    : undefined;
  const isGranted = principal.kind === 'service_account' && found !== undefined && found.repository_id !== 'ungranted';
  return {
    owner: isOwned ? fixture.status.owner : undefined,
    repository: found,
    connection: connections.find(({ data_connection_id }) => data_connection_id === found?.data.primary_mirror),
    actingAccount: actingAccountOf(principal),
    roles: { account: undefined, repository: undefined },
    serviceAccount: principal.kind === 'service_account' ? fixture.status.serviceAccount : undefined,
    grant: isGranted ? grantIn(found.uid) : undefined,
    read_at: now,
  };
}

function grantIn(repository_uid: string | undefined): HeldGrant {
  return { access: 'read_write', repository_uid };
}

function actingAccountOf(principal: Principal): AuthorizationData['actingAccount'] {
  const account_id = actingAccountId(principal);
  if (account_id === undefined) return undefined;
  return { account_id, account_type: 'organization', disabled: false, times_disabled: 0 };
}

type ServiceAccountNames = Omit<Extract<SessionHolder, { kind: 'service_account' }>, 'kind'>;

export function sessionOptions({
  service_account_id = 'tide-institute--nightly-sync',
  service_account_uid = 'uid-1',
  ...claims
}: Partial<SessionClaims & ServiceAccountNames> = {}): SignerOptions {
  const credentials = issueSessionCredentials(
    {
      holder: { kind: 'service_account', service_account_id, service_account_uid },
      times_disabled: 0,
      role: 'FullAccess',
      signed_in_by: { kind: 'key', id: 'key-1' },
      session_name: 'session',
      issued_at: now / 1000 - 60,
      expires_at: now / 1000 + 3600,
      ...claims,
    },
    [secretVersion],
    { now, random: { uuid: () => '', bytes: (length) => new Uint8Array(length).fill(3) } },
  );
  return {
    accessKeyId: credentials.access_key_id,
    secretAccessKey: credentials.secret_access_key,
    sessionToken: credentials.session_token,
  };
}

export function apiKeyOptions(): SignerOptions {
  return { accessKeyId: apiKeyId, secretAccessKey: deriveApiKeySecret(secretVersion, apiKeyId) };
}

export function edgeRequest(
  request: Pick<EdgeRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers'>,
  body: string | Uint8Array = '',
): EdgeRequest {
  return {
    ...request,
    sourceIp: '192.0.2.1',
    requestId: 'request-1',
    distributionHost: 'data.example.org',
    body: { bytes: Buffer.from(body), truncated: false },
  };
}

/** Signs a request as a client does, with the hash of its body. */
export async function signed(
  unsigned: UnsignedRequest,
  options: SignerOptions = sessionOptions(),
): Promise<EdgeRequest> {
  const hash = createHash('sha256')
    .update(unsigned.body ?? '')
    .digest('hex');
  const headers = { 'x-amz-content-sha256': hash, ...unsigned.headers };
  const { body: _, ...rest } = unsigned;
  return edgeRequest(await signWithSmithy({ ...rest, headers }, options), unsigned.body);
}

export function anonymous(rawPath: string, { method = 'GET', rawQuery = '', headers = {} } = {}): EdgeRequest {
  return edgeRequest({ method, rawPath, rawQuery, headers: { host: 'data.example.org', ...headers } });
}

const virtualHostBase = 'virtual.example.org';

export function decide(request: EdgeRequest, fixture = dataFixture()): Promise<Decision> {
  return decideObjectRequest(request, parseResource(request, virtualHostBase), fixture.deps);
}

/** Returns `forward` or `relay`, or the status and code of a refusal, for tables of test cases. */
export async function outcome(request: EdgeRequest, fixture = dataFixture()): Promise<string> {
  const decision = await decide(request, fixture);
  if (decision.kind !== 'respond') return decision.kind;
  const { status, body } = decision.answer;
  return status === 200 ? '200' : `${status} ${/<Code>(.*)<\/Code>/.exec(body)?.[1]}`;
}

export async function forwarded(request: EdgeRequest, fixture = dataFixture()) {
  const decision = await decide(request, fixture);
  if (decision.kind !== 'forward') throw new Error(`not forwarded: ${JSON.stringify(decision)}`);
  return decision.request;
}

export async function relayed(request: EdgeRequest, fixture = dataFixture()) {
  const decision = await decide(request, fixture);
  if (decision.kind !== 'relay') throw new Error(`not relayed: ${JSON.stringify(decision)}`);
  return decision;
}

/** Verifies a request as storage does, with headers that CloudFront adds. Returns the names of the signed headers. */
export function verifyForStorage(request: StorageRequest, added: Record<string, string> = {}): readonly string[] {
  const arrived = { ...request, headers: { ...request.headers, ...added } };
  const presented = readSignature(arrived);
  if (presented?.access_key_id !== 'AKSTORAGE' || presented.session_token !== undefined) throw new Error('not signed');
  verifySignature(arrived, presented, { secret_access_key: 'storage secret' }, { now, service: 's3' });
  return presented.signed_headers;
}
