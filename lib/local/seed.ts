import type { LocalStorage } from './embedded-storage.ts';
import type { KnownUser } from './oidc/sign-in-pages.tsx';

/**
 * The names in the seed, the sample data of the local service. Its two users create everything through the service's
 * own API.
 */
export const seedNames = {
  admin: { identity_id: 'admin', account_id: 'site-admin' },
  user: { identity_id: 'ada', account_id: 'ada' },
  organization_id: 'tide-institute',
  data_connection_id: 'local-store',
  open_repository_id: 'tide-gauges',
  private_repository_id: 'raw-drafts',
  data_repository_id: 'world-borders',
  service_account_id: 'tide-institute--nightly-sync',
  workflow: { repository: 'tide-institute/pipelines', branch: 'main' },
} as const;

/** The users that the sign-in page offers. A service without a seed offers only the first. */
export const seededUsers = [
  { identity_id: seedNames.admin.identity_id, name: 'Site administrator' },
  { identity_id: seedNames.user.identity_id, name: 'Ada' },
] as const satisfies readonly KnownUser[];

/** The profile of an invented publisher. Its domain is reserved for examples, so it belongs to nobody. */
const publisher = {
  name: 'Tide Institute',
  bio: 'We measure the sea and publish what we measure, with the maps that it takes to read it.',
  location: 'Bergen, Norway',
  url: 'https://tide-institute.example',
};

const tides = {
  description: 'Water levels, which a service account uploads every night',
  tags: 'tides',
  license: 'CC0-1.0',
};
interface SeededRepository {
  repository_id: string;
  data_mode: 'open' | 'private';
  meta: object;
}

const repositories: readonly SeededRepository[] = [
  { repository_id: seedNames.open_repository_id, data_mode: 'open', meta: { ...tides, title: 'Tide gauges' } },
  { repository_id: seedNames.private_repository_id, data_mode: 'private', meta: { ...tides, title: 'Raw drafts' } },
];
const dataSet: SeededRepository = {
  repository_id: seedNames.data_repository_id,
  data_mode: 'open',
  meta: {
    title: 'World borders',
    description:
      'The borders of 177 countries at a scale of 1:110 million, as shapes, tables, a raster and vector tiles. Made from Natural Earth.',
    tags: 'borders, countries, geography',
    license: 'CC0-1.0',
    homepage: 'https://www.naturalearthdata.com',
    citation: 'Tide Institute (2026). World borders at 1:110 million. Made from Natural Earth.',
    contact: 'data@tide-institute.example',
    keywords: ['Natural Earth', 'GeoJSON', 'Parquet', 'GeoTIFF', 'PMTiles'],
  },
};

interface SeedOptions {
  apiUrl: string;
  identityUrl: string;
  storage: LocalStorage;
  /** A key from an earlier start with stored data. The seed uses it again if it is still valid. */
  storedKey: string | undefined;
  /** True to create, in addition, the repository that `publishSeedData` fills. */
  withDataSet?: boolean;
}

/** Creates the parts of the seed that do not exist yet. Returns a key of the seeded service account. */
export async function seed(options: SeedOptions): Promise<{ key: string }> {
  const { admin, user } = seedNames;
  const [asAdmin, asUser] = await Promise.all([signIn(options, admin.identity_id), signIn(options, user.identity_id)]);
  await Promise.all([
    createAccount(asAdmin, admin.account_id, seededUsers[0].name),
    createAccount(asUser, user.account_id, seededUsers[1].name),
  ]);
  await Promise.all([createOrganization(asAdmin, asUser), createConnection(asAdmin, options.storage)]);
  const seeded = options.withDataSet ? [...repositories, dataSet] : repositories;
  const [, key] = await Promise.all([
    createRepositories(asAdmin, asUser, seeded),
    createServiceAccount(asUser, options.storedKey),
  ]);
  for (const { repository_id } of seeded) {
    await asUser('PUT', `/service-accounts/${seedNames.service_account_id}/grants/${repository_id}`, grant);
  }
  return { key };
}

async function createAccount(as: SeedClient, account_id: string, name: string): Promise<void> {
  // With stored data, the user already has an account, and the API would refuse a second one. Create an account only if
  // the user has none.
  const { body } = await as('GET', '/whoami');
  if (body.account === null) await as('POST', '/accounts', { account_id, account_type: 'user', profile: { name } });
}

async function createOrganization(asAdmin: SeedClient, asUser: SeedClient): Promise<void> {
  const { user, organization_id: account_id } = seedNames;
  await asAdmin('PUT', `/accounts/${user.account_id}/flags`, ['create_organizations', 'create_repositories']);
  await asUser('POST', '/accounts', { account_id, account_type: 'organization', profile: publisher });
}

async function createConnection(asAdmin: SeedClient, storage: LocalStorage): Promise<void> {
  const { endpoint, bucket, region, access_key_id, secret_access_key } = storage;
  await asAdmin('POST', '/data-connections', {
    data_connection_id: seedNames.data_connection_id,
    name: 'Store of this machine',
    read_only: false,
    allowed_data_modes: ['open', 'subscription', 'private'],
    details: { provider: 's3', bucket, base_prefix: '', region, endpoint },
    authentication: { type: 's3_access_key', access_key_id, secret_access_key },
  });
}

async function createRepositories(
  asAdmin: SeedClient,
  asUser: SeedClient,
  seeded: readonly SeededRepository[],
): Promise<void> {
  const { organization_id, data_connection_id, data_repository_id } = seedNames;
  for (const { repository_id, data_mode, meta } of seeded) {
    const path = `/repositories/${organization_id}`;
    const created = await asUser('POST', path, { repository_id, data_mode, meta, data_connection_id });
    if (created.status === 201 && data_mode === 'open')
      await asUser('PUT', `${path}/${repository_id}`, { meta, state: 'listed' });
    if (created.status === 201 && repository_id === data_repository_id)
      await asAdmin('PUT', `${path}/${repository_id}/featured`, { order: 1 });
  }
}

const grant = { access: 'read_write' };

/** Creates the seeded service account with its trusted workflow. Returns a key of the service account. */
async function createServiceAccount(asUser: SeedClient, storedKey: string | undefined): Promise<string> {
  const path = `/service-accounts/${seedNames.service_account_id}`;
  const details = { name: 'nightly-sync', description: 'Uploads new readings every night' };
  const created = await asUser('POST', `/accounts/${seedNames.organization_id}/service-accounts`, details);
  await asUser('POST', `${path}/trusted-workflows`, seedNames.workflow);
  if (created.status === 409 && storedKey !== undefined) return storedKey;
  const { body } = await asUser('POST', `${path}/keys`, { label: 'local start', expiry: '1y' });
  return body.key;
}

/**
 * Creates a version of the seeded data set, unless it exists, and requests a count of its files. Two background jobs do
 * this soon after.
 */
export async function createSeedVersion(options: Pick<SeedOptions, 'apiUrl' | 'identityUrl'>): Promise<void> {
  const { organization_id, data_repository_id, user } = seedNames;
  const asUser = await signIn(options, user.identity_id);
  const body = { name: 'v1', notes: 'The first release.' };
  const path = `/repositories/${organization_id}/${data_repository_id}`;
  await asUser('POST', `${path}/versions`, body);
  await asUser('POST', `${path}/inventory`);
}

type SeedClient = Awaited<ReturnType<typeof signIn>>;

/** Returns a token of a user. The default audience is the management API. */
export async function userToken(identityUrl: string, user: { sub: string; audience?: string }): Promise<string> {
  const response = await fetch(`${identityUrl}/people/token`, { method: 'POST', body: JSON.stringify(user) });
  return ((await response.json()) as { token: string }).token;
}

/**
 * Signs a user in and returns an API client for this user. The client accepts 409 for a resource that exists already.
 * It throws for a 409 that reports a conflicting change.
 */
export async function signIn({ apiUrl, identityUrl }: Pick<SeedOptions, 'apiUrl' | 'identityUrl'>, sub: string) {
  const token = await userToken(identityUrl, { sub });
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${apiUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = JSON.parse(await response.text());
    // The API answers 429 if the files were counted a short time before, as after a quick restart. Ignore this
    // response.
    const isThere = response.status === 429 || (response.status === 409 && answer.code !== 'concurrent_change');
    if (!response.ok && !isThere) throw new Error(`${method} ${path} returned ${response.status}: ${answer.detail}`);
    // The only fields that the seed reads: `key` in the response that creates a key, and `account` in the response of
    // `/whoami`.
    return { status: response.status, body: answer as { key: string; account: unknown } };
  };
}

/** Exchanges a key for credentials. Returns the XML of the response, or of the error response. */
export function exchangeSeedKey(dataUrl: string, key: string, role: 'FullAccess' | 'ReadOnly'): Promise<string> {
  return exchange(dataUrl, { token: key, role, as: seedNames.service_account_id });
}

/** Exchanges a key or a token. Returns the XML of the response, or of the error response. */
export async function exchange(
  dataUrl: string,
  { token, role, as }: { token: string; role: 'FullAccess' | 'ReadOnly'; as: string },
): Promise<string> {
  const response = await fetch(`${dataUrl}/.sts`, {
    method: 'POST',
    body: new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: `arn:aws:iam::${as}:role/${role}`,
      RoleSessionName: 'local-start',
      WebIdentityToken: token,
    }),
  });
  return response.text();
}

/** Reports whether a stored key can still sign in as the seeded service account. */
export async function isSeedKey(dataUrl: string, key: string): Promise<boolean> {
  const answer = await exchangeSeedKey(dataUrl, key, 'ReadOnly');
  return answer.includes(`<SubjectFromWebIdentityToken>${seedNames.service_account_id}<`);
}
