import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { dayMs, toTimestamp } from '../../../lib/domain/time.ts';
import type { UsageRecord, UsageScope } from '../../../lib/domain/usage/usage.ts';
import { emptyBucket } from '../../../lib/local/embedded-storage.ts';
import { seedNames } from '../../../lib/local/seed.ts';
import type { LocalService } from '../../../lib/local/service.ts';
import { addMember, invite, made, repository, signUp } from '../../functions/users.ts';
import { type Client, createClient } from '../../service/client.ts';
import { ciToken, s3Client, signIn } from '../../service/data-clients.ts';
import { postExchange } from '../../service/raw-exchange.ts';
import { userToken } from '../../service/user-tokens.ts';

/** Data that the seed lacks: names of the maximum length, a new user, and open invitations and transfers. */
export const crowded = {
  user: 'maximiliane-von-hohenlohe-waldenburg-max',
  organization: 'institute-for-the-observation-of-the-sea',
  repository: 'water-levels-of-the-northern-hemisphere1',
  disabled: 'closed-levels-of-the-northern-hemisphere',
  /** A disabled repository, which the test of the deletion dialog deletes. */
  deleted: 'former-levels-of-the-northern-hemisphere',
  /** A repository that was deleted with its files, before any job has deleted the files. */
  emptied: 'levels-without-files-of-the-northern-sea',
  machine: 'uploads-what-the-gauges-measured-in-norw',
  leakedKey: 'a key that was leaked',
  connection: 'a-connection-with-a-name-of-forty-letter',
  /** Storage of the organization: a draft with a role, a draft with a marker, and one with a repository. */
  storageByRole: 'the-bucket-of-the-institute-by-its-role1',
  publicStorage: 'the-public-bucket-of-the-institute-forty',
  ownStorage: 'the-bucket-that-has-a-repository-on-it-4',
  version: 'v'.repeat(63),
  /** A user with an account, an empty organization, an invitation, and a transfer. */
  newcomer: 'grace',
  empty: 'graces-empty-group',
} as const;

const unbroken = (length: number) => 'DonaudampfschifffahrtsgesellschaftsWasserstand'.repeat(30).slice(0, length);
const words = (length: number) =>
  'Water levels of every gauge that we could find, corrected for the tide and for the land that sinks. '
    .repeat(12)
    .slice(0, length);

type Addresses = Pick<LocalService, 'apiUrl' | 'dataUrl' | 'identity' | 'storage' | 'repositoryJobs' | 'services'>;

async function clientOf(service: Addresses, identity: string): Promise<Client> {
  return createClient(service.apiUrl, { authorization: `Bearer ${await userToken(service, identity)}` });
}

/** Adds the example data to a seeded service through its API. */
export async function makeCrowdedPlace(service: Addresses, key: string): Promise<void> {
  const { user, organization, newcomer, empty } = crowded;
  const person_ = { user: (identity: string) => clientOf(service, identity) };
  const [admin, ada] = [await clientOf(service, 'admin'), await clientOf(service, 'ada')];
  const [owner, grace] = [await signUp(person_, user), await signUp(person_, newcomer)];
  await made(owner('PUT', `/accounts/${user}/profile`, { name: unbroken(128), bio: words(1024) }));
  await made(grace('PUT', `/accounts/${newcomer}/profile`, { name: 'Grace' }));
  for (const each of [user, newcomer]) await made(admin('PUT', `/accounts/${each}/flags`, ['create_organizations']));
  const organizationOf = (account_id: string, profile: object) => ({
    account_id,
    account_type: 'organization',
    profile,
  });
  const profile = { name: unbroken(128), bio: words(600), location: unbroken(100), url: 'https://a.example/' };
  await made(owner('POST', '/accounts', organizationOf(organization, profile)));
  await made(grace('POST', '/accounts', organizationOf(empty, { name: 'An empty group' })));
  await makeConnection(admin);
  await makeRepositories(owner);
  await makeStorage(service, owner);
  await addMember(ada, seedNames.organization_id, owner, user, 'maintainers');
  await addMember(owner, organization, ada, 'ada', 'read_data');
  await addMember(owner, `${organization}/${crowded.repository}`, ada, 'ada', 'maintainers');
  await invite(owner, organization, newcomer, 'write_data');
  await invite(ada, seedNames.organization_id, newcomer, 'read_data');
  const offered = `/repositories/${organization}/${crowded.repository}/transfers`;
  await made(owner('POST', offered, { to: newcomer }));
  await makeMachine(service, owner);
  for (const name of [unbroken(128), 'my laptop']) {
    const body = { name, expires: new Date(Date.now() + 86_400_000 * 90).toISOString() };
    await made(owner('POST', `/accounts/${organization}/api-keys`, body));
    await made(owner('POST', `/repositories/${organization}/${crowded.repository}/api-keys`, body));
  }
  await made(ada('POST', '/accounts/ada/api-keys', { name: 'my laptop', expires: '2099-01-01T00:00:00Z' }));
  await made(owner('PUT', `/accounts/${user}/blocked-accounts/${newcomer}`));
  const issuer = `https://${unbroken(60).toLowerCase()}.${unbroken(50).toLowerCase()}.tides.example`;
  await made(owner('POST', `/accounts/${organization}/issuers`, { issuer, kind: 'oidc' }));
  await refuseSignIn(service);
  await putFiles(service, key);
  await makeVersions(service, key, { ada, owner });
  await deleteWithFiles(owner);
  await makeUsage(service);
}

/** Stores made-up usage of the data set, its account, and the service for 30 days and 12 months. */
async function makeUsage({ services }: Addresses): Promise<void> {
  const { usage } = services.store;
  const { organization_id: account_id, data_repository_id: repository_id } = seedNames;
  const [repository] = await usage.findRepositories([{ account_id, repository_id }]);
  const now = Date.now();
  const days = Array.from({ length: 30 }, (_, at) => toTimestamp(now - at * dayMs).slice(0, 10));
  const months = [...new Set(Array.from({ length: 340 }, (_, at) => toTimestamp(now - at * dayMs).slice(0, 7)))];
  const scopes: UsageScope[] = [{ repository_uid: repository?.uid ?? '' }, { account_id }, 'service'];
  for (const scope of scopes) {
    await Promise.all([...days, ...months].map((period, at) => usage.put(scope, madeUpUsage(period, at), now)));
  }
}

function madeUpUsage(period: string, at: number): UsageRecord {
  const counts = (downloads: number) => ({
    ...{ requests: downloads * 7, downloads, bytes: downloads * 3_100_000, visitors: Math.ceil(downloads / 3) },
    ...{ total_requests: downloads * 2, unique_requests: downloads },
  });
  const downloads = 5 + ((at * 37) % 60);
  return {
    period,
    is_final: at > 2,
    clients: { browsers: counts(downloads), tools: counts(downloads * 3), ci: counts(4), robots: counts(90) },
    countries: ['NO', 'DE', 'US', 'other'].map((country, rank) => ({
      country,
      downloads: Math.ceil((downloads * 4) / (rank + 2)),
      visitors: 9,
    })),
    files: ['countries.parquet', `${'a-long-folder-name/'.repeat(8)}part-0.parquet`, 'countries.csv'].map((path) => ({
      path,
      requests: 940,
      downloads: 310,
      bytes: 7_200_000,
    })),
  };
}

async function makeConnection(admin: Client): Promise<void> {
  const { body } = await made(admin('GET', `/data-connections/${seedNames.data_connection_id}`));
  const details = { ...body.details, base_prefix: `${unbroken(60)}/${unbroken(60)}/` };
  const named = { data_connection_id: crowded.connection, name: unbroken(128), required_flag: 'create_organizations' };
  await made(admin('POST', '/data-connections', { ...body, ...named, details }));
}

async function makeStorage({ storage }: Addresses, owner: Client): Promise<void> {
  const { organization, storageByRole, publicStorage, ownStorage } = crowded;
  const details = { provider: 's3', bucket: 'a'.repeat(63), base_prefix: `${unbroken(60)}/`, region: 'eu-north-1' };
  const connect = (data_connection_id: string, more: object) => {
    const modes = ['open', 'subscription', 'private'];
    const shared = { data_connection_id, name: unbroken(128), read_only: false, allowed_data_modes: modes, details };
    return made(owner('POST', `/accounts/${organization}/data-connections`, { ...shared, ...more }));
  };
  const role_arn = `arn:aws:iam::111122223333:role/${unbroken(64)}`;
  await connect(storageByRole, { authentication: { type: 's3_web_identity_role', role_arn } });
  await connect(publicStorage, { read_only: true, details: { ...details, base_prefix: '' } });
  const { endpoint, region, access_key_id, secret_access_key } = storage;
  await connect(ownStorage, {
    details: { ...details, bucket: emptyBucket, region, endpoint },
    authentication: { type: 's3_access_key', access_key_id, secret_access_key },
  });
  await made(owner('POST', `/data-connections/${ownStorage}/test`, { access: 'read_write' }));
  const placed = repository('on-storage-of-its-own', { data_connection_id: ownStorage, data_mode: 'private' });
  await made(owner('POST', `/repositories/${organization}`, placed));
}

async function makeRepositories(owner: Client): Promise<void> {
  const { organization } = crowded;
  const meta = {
    title: unbroken(200),
    description: words(900),
    tags: Array.from({ length: 12 }, (_, index) => `${unbroken(20 + index)}`).join(', '),
    license: 'CC-BY-4.0',
    homepage: `https://a.example/${unbroken(200)}`,
    citation: words(300),
    contact: unbroken(60),
    keywords: ['one', unbroken(64)],
  };
  const made_ = (id: string, more: object) =>
    made(
      owner('POST', `/repositories/${organization}`, repository(id, { data_connection_id: 'local-store', ...more })),
    );
  await made_(crowded.repository, { meta });
  await made(owner('PUT', `/repositories/${organization}/${crowded.repository}`, { meta, state: 'listed' }));
  for (const id of [crowded.disabled, crowded.deleted]) {
    await made_(id, { meta: { ...meta, title: 'A closed one' }, data_mode: 'private' });
    await made(owner('POST', `/repositories/${organization}/${id}/disable`));
  }
}

/** Requests a deletion of files, which begins a minute later. */
async function deleteWithFiles(owner: Client): Promise<void> {
  const { organization, emptied } = crowded;
  const at = `/repositories/${organization}`;
  const settings = { data_connection_id: 'local-store', data_mode: 'private' };
  await made(owner('POST', at, repository(emptied, settings)));
  await made(owner('POST', `${at}/${emptied}/disable`));
  await made(owner('POST', `${at}/${emptied}/delete`, { confirm: `${organization}/${emptied}`, delete_files: true }));
}

async function makeMachine(service: Addresses, owner: Client): Promise<void> {
  const { organization, machine } = crowded;
  const id = `${organization}--${machine}`;
  const at = `/service-accounts/${id}`;
  const description = unbroken(256);
  await made(owner('POST', `/accounts/${organization}/service-accounts`, { name: machine, description }));
  await made(owner('PUT', `${at}/grants/${crowded.repository}`, { access: 'read_write' }));
  const long = { repository: `${unbroken(39)}/${unbroken(90)}`, branch: `feature/${unbroken(120)}` };
  await made(owner('POST', `${at}/trusted-workflows`, long));
  for (const label of [unbroken(64), 'one that ended', 'the server in the cellar']) {
    await made(owner('POST', `${at}/keys`, { label, expiry: 'never' }));
  }
  const { body } = await made(owner('GET', `${at}/keys`));
  await made(owner('DELETE', `${at}/keys/${body[1].key_id}`));
  const leaked = await made(owner('POST', `${at}/keys`, { label: crowded.leakedKey, expiry: 'never' }));
  await signIn(service, leaked.body.key, { serviceAccountId: id });
  await made(owner('POST', '/service-account-keys/revocations', { key: leaked.body.key }));
  const sub = `repo:${long.repository}:ref:refs/heads/${long.branch}-of-2027`;
  const RoleArn = `arn:aws:iam::${id}:role/FullAccess`;
  await postExchange(service, { WebIdentityToken: await ciToken(service, { sub }), RoleArn });
}

/** Runs a CI job from an untrusted branch, so that the console shows a refusal. */
async function refuseSignIn(service: Addresses): Promise<void> {
  const { repository: of, branch } = seedNames.workflow;
  const sub = `repo:${of}:ref:refs/heads/${branch}-of-2027`;
  await postExchange(service, { WebIdentityToken: await ciToken(service, { sub }) });
}

/** Stores files with long names, and starts an upload that is never completed. */
async function putFiles(service: Addresses, key: string): Promise<void> {
  const client = s3Client(service, await signIn(service, key));
  const Bucket = seedNames.organization_id;
  const put = (Key: string, Body = 'a,b\n1,2\n') => client.send(new PutObjectCommand({ Bucket, Key, Body }));
  await put(`${seedNames.private_repository_id}/readings.csv`);
  await put(
    `${seedNames.private_repository_id}/README.md`,
    '# Raw drafts\n\nNobody has checked the [readings](readings.csv) yet.',
  );
  await put(
    `${seedNames.private_repository_id}/station.geojson`,
    '{"type":"Feature","properties":{"name":"Bergen"},"geometry":{"type":"Point","coordinates":[5.3,60.4]}}',
  );
  await put(`${seedNames.private_repository_id}/${unbroken(60)}/${unbroken(120)} of today.csv`);
  await put(`${seedNames.private_repository_id}/${unbroken(180)}.csv`);
  const Key = `${seedNames.private_repository_id}/left-behind/${unbroken(80)}.bin`;
  await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
}

/** Freezes three versions of the data set and withdraws one, and freezes a version with the longest name. */
async function makeVersions(
  service: Addresses,
  key: string,
  { ada, owner }: { ada: Client; owner: Client },
): Promise<void> {
  const versions = `/repositories/${seedNames.organization_id}/${seedNames.data_repository_id}/versions`;
  const freeze = async (by: Client, path: string, body: object) => {
    await made(by('POST', path, body));
    await service.repositoryJobs.run();
  };
  await freeze(ada, versions, { name: 'first-try', notes: 'Before the check of the borders' });
  await made(ada('POST', `${versions}/first-try/withdraw`, { reason: `Three countries were missing. ${words(300)}` }));
  await freeze(ada, versions, { name: '2026-07', notes: 'The first release' });
  const client = s3Client(service, await signIn(service, key));
  const Bucket = seedNames.organization_id;
  const Key = `${seedNames.data_repository_id}/capitals.csv`;
  await client.send(new PutObjectCommand({ Bucket, Key, Body: 'name\nSuva\n' }));
  await freeze(ada, versions, { name: '2026-08', notes: 'With the capitals' });
  const crowdedVersions = `/repositories/${crowded.organization}/${crowded.repository}/versions`;
  await freeze(owner, crowdedVersions, { name: crowded.version, notes: words(1000) });
  await made(ada('POST', `${versions}/2026-07/verify`));
  await made(ada('PUT', `${versions}/2026-07/doi`, { doi: '10.5281/zenodo.1234567' }));
  await service.repositoryJobs.run();
  // No job runs after this request, so the version stays in progress.
  await made(ada('POST', versions, { name: 'in-progress' }));
}
