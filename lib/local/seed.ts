import type { LocalStorage } from './embedded-storage.ts';
import type { KnownPerson } from './oidc/people-provider.ts';

/** Names of the seed. Its two users create everything through the service's own API. */
export const seedNames = {
  admin: { identity_id: 'admin', account_id: 'site-admin' },
  person: { identity_id: 'ada', account_id: 'ada' },
  organization_id: 'tide-institute',
  data_connection_id: 'local-store',
  open_repository_id: 'tide-gauges',
  private_repository_id: 'raw-drafts',
  data_repository_id: 'world-borders',
  service_account_id: 'tide-institute--nightly-sync',
  workflow: { repository: 'tide-institute/pipelines', branch: 'main' },
} as const;

/** Identities on the sign-in page. A service without a seed has the first one only. */
export const seededPeople = [
  { identity_id: seedNames.admin.identity_id, name: 'Site administrator' },
  { identity_id: seedNames.person.identity_id, name: 'Ada' },
] as const satisfies readonly KnownPerson[];

const dataSet = {
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

/** An invented publisher; the reserved domain says so. */
const publisher = {
  name: 'Tide Institute',
  bio: 'We measure the sea and publish what we measure, with the maps that it takes to read it.',
  location: 'Bergen, Norway',
  url: 'https://tide-institute.example',
};

interface SeedContext {
  apiUrl: string;
  identityUrl: string;
  storage: LocalStorage;
  /** A key from an earlier start with the same data, to be used again. */
  storedKey: string | undefined;
  /** Also creates the repository that `publishSeedData` fills. */
  withDataSet?: boolean;
}

/** The fields that the seed reads: the key in the response that issues one, and the account of a session. */
interface SeedAnswer {
  status: number;
  body: { key: string; account: unknown };
}

/** Creates what is missing of the seed, and returns a key of its service account. */
export async function seed({
  apiUrl,
  identityUrl,
  storage,
  storedKey,
  withDataSet,
}: SeedContext): Promise<{ key: string }> {
  const { admin, person, organization_id, data_connection_id, service_account_id } = seedNames;
  const asAdmin = await signIn(identityUrl, admin.identity_id);
  const asPerson = await signIn(identityUrl, person.identity_id);

  const account = (account_id: string, account_type: string, name: string, profile: object = {}) => ({
    account_id,
    account_type,
    profile: { name, ...profile },
  });
  // A user who has an account may not create another one, so with stored data the request would be refused.
  const signUp = async (as: typeof asAdmin, account_id: string, name: string) => {
    const session = await as('GET', '/whoami');
    if (session.body.account === null) await as('POST', '/accounts', account(account_id, 'user', name));
  };
  await signUp(asAdmin, admin.account_id, seededPeople[0].name);
  await signUp(asPerson, person.account_id, seededPeople[1].name);
  await asAdmin('PUT', `/accounts/${person.account_id}/flags`, ['create_organizations', 'create_repositories']);
  await asPerson('POST', '/accounts', account(organization_id, 'organization', publisher.name, publisher));
  const { endpoint, bucket, region, access_key_id, secret_access_key } = storage;
  await asAdmin('POST', '/data-connections', {
    data_connection_id,
    name: 'Store of this machine',
    read_only: false,
    allowed_data_modes: ['open', 'subscription', 'private'],
    details: { provider: 's3', bucket, base_prefix: '', region, endpoint },
    authentication: { type: 's3_access_key', access_key_id, secret_access_key },
  });
  const empty = {
    description: 'Water levels, which a service account uploads every night',
    tags: 'tides',
    license: 'CC0-1.0',
  };
  const repositories = [
    { repository_id: seedNames.open_repository_id, data_mode: 'open', meta: { ...empty, title: 'Tide gauges' } },
    { repository_id: seedNames.private_repository_id, data_mode: 'private', meta: { ...empty, title: 'Raw drafts' } },
    ...(withDataSet ? [dataSet] : []),
  ];
  for (const { repository_id, data_mode, meta } of repositories) {
    const place = `/repositories/${organization_id}`;
    const made = await asPerson('POST', place, { repository_id, data_mode, meta, data_connection_id });
    if (made.status === 201 && data_mode === 'open') {
      await asPerson('PUT', `${place}/${repository_id}`, { meta, state: 'listed' });
    }
  }
  const description = 'Uploads new readings every night';
  const created = await asPerson('POST', `/accounts/${organization_id}/service-accounts`, {
    name: 'nightly-sync',
    description,
  });
  for (const { repository_id } of repositories) {
    await asPerson('PUT', `/service-accounts/${service_account_id}/grants/${repository_id}`, { access: 'read_write' });
  }
  await asPerson('POST', `/service-accounts/${service_account_id}/trusted-workflows`, seedNames.workflow);
  if (created.status === 409 && storedKey !== undefined) return { key: storedKey };
  const issued = await asPerson('POST', `/service-accounts/${service_account_id}/keys`, {
    label: 'local start',
    expiry: '1y',
  });
  return { key: issued.body.key };

  /** Returns a client of the API for one user. It accepts 409 for things that exist already. */
  async function signIn(issuerUrl: string, sub: string) {
    const answer = await fetch(`${issuerUrl}/people/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sub }),
    });
    const { token } = (await answer.json()) as { token: string };
    return async (method: string, path: string, body?: unknown): Promise<SeedAnswer> => {
      const response = await fetch(`${apiUrl}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = JSON.parse(await response.text());
      if (!response.ok && response.status !== 409)
        throw new Error(`${method} ${path} answered ${response.status}: ${answer.detail}`);
      return { status: response.status, body: answer };
    };
  }
}
