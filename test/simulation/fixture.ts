import type { DataSet } from '../model/data-set.ts';
import { apiKeyOf, objectKeys } from './capabilities/data.ts';
import { readerOf } from './capabilities/links.ts';
import { ciTokenOf, serviceAccountId, sessionOf, subjectOf } from './capabilities/service-accounts.ts';
import type { Credential } from './history.ts';
import { Kernel } from './kernel.ts';
import type { Item } from './memory-table/expressions.ts';
import { MemoryTable } from './memory-table/memory-table.ts';
import { type Answered, loadFunctions, SimulatedService } from './service.ts';
import type { SimulatedStorage } from './storage.ts';

interface Fixture {
  items: readonly Item[];
  /** The number of milliseconds after the creation of the data. */
  now: number;
  dataSet: DataSet;
  credentials: readonly Credential[];
  /** Keys of service accounts and secrets of links, by ID. */
  secrets: ReadonlyMap<string, string>;
  /** Both repositories have objects, and the open one has the version `v1`. */
  storage: SimulatedStorage;
}

let fixture: Promise<Fixture> | undefined;

/** Returns the data with which every history begins. The service creates it once, through its own API. */
export function loadFixture(): Promise<Fixture> {
  fixture ??= createFixture();
  return fixture;
}

async function createFixture(): Promise<Fixture> {
  await loadFunctions();
  const kernel = new Kernel(new MemoryTable());
  const service = new SimulatedService(kernel, 'fixture');
  const settled = async (sent: Promise<Answered>): Promise<Answered['body']> => {
    const answered = await kernel.runUntilDone(sent, 1000);
    if (answered.status === undefined || answered.status >= 300)
      throw new Error(`the fixture failed: ${answered.status} ${JSON.stringify(answered.body)}`);
    return answered.body;
  };
  const manage = (identity: string, method: string, path: string, body?: unknown) =>
    settled(service.manage({ label: `${method} ${path}` }, `Bearer ${identity}`, method, path, body));

  const users = ['root', 'ada', 'ben', 'cyd'];
  const identityOf = (id: string) => (id === 'root' ? 'admin' : id);
  for (const id of users)
    await manage(identityOf(id), 'POST', '/accounts', { account_id: id, account_type: 'user', profile: {} });
  await manage('admin', 'PUT', '/accounts/ada/flags', ['create_organizations']);
  await manage('ada', 'POST', '/accounts', { account_id: 'tides', account_type: 'organization', profile: {} });
  await manage('admin', 'POST', '/data-connections', {
    data_connection_id: 'store',
    name: 'Store',
    read_only: false,
    allowed_data_modes: ['open', 'private'],
    details: { provider: 's3', bucket: 'store', base_prefix: 'data/', region: 'eu-west-1' },
    authentication: { type: 's3_access_key', access_key_id: 'AKSTORE', secret_access_key: 'secret' },
  });
  for (const [repository_id, data_mode] of [
    ['open', 'open'],
    ['closed', 'private'],
  ]) {
    const meta = { title: repository_id, description: '', tags: '' };
    await manage('ada', 'POST', '/repositories/tides', { repository_id, data_mode, data_connection_id: 'store', meta });
  }
  const invited = await manage('ada', 'POST', '/accounts/tides/members', { account_id: 'ben', role: 'write_data' });
  await manage('ben', 'POST', `/memberships/${invited.membership_id}/accept`);
  const apiKey = await manage('ben', 'POST', '/accounts/ben/api-keys', { name: 'k', expires: '2099-01-01T00:00:00Z' });
  await manage('ada', 'POST', '/accounts/tides/service-accounts', { name: 'sync' });
  const at = `/service-accounts/${serviceAccountId}`;
  await manage('ada', 'PUT', `${at}/grants/closed`, { access: 'read_write' });
  const key = await manage('ada', 'POST', `${at}/keys`, { label: 'k', expiry: '30d' });
  const workflow = await manage('ada', 'POST', `${at}/trusted-workflows`, {
    repository: 'tides/tools',
    branch: 'main',
  });
  const role = `arn:aws:iam::${serviceAccountId}:role/FullAccess`;
  const byKey = await settled(service.exchange({ label: 'key' }, 0, role, key.key));
  const byWorkflow = await settled(service.exchange({ label: 'workflow' }, 0, role, ciTokenOf('main', kernel.now)));
  const link = await manage('ada', 'POST', '/repositories/tides/closed/links', { prefix: 'a/', expires_in_days: 1 });
  const byLink = await manage('', 'POST', `/links/${link.link_id}/credentials`, { secret: link.secret });
  for (const id of ['open', 'closed'])
    for (const key of objectKeys) service.storage.put(`data/tides/${id}/${key}`, `first ${id} ${key}`);
  await manage('ada', 'POST', '/repositories/tides/open/versions', { name: 'v1' });
  await kernel.runUntilDone(service.runRepositoryJobs({ label: 'freeze' }));
  await kernel.runUntil(kernel.now + 60_000);

  const items = kernel.table.items();
  const foundingId = items.find(({ entity, role: held }) => entity === 'membership' && held === 'owners')?.[
    'membership_id'
  ];
  const account = (id: string, type: 'user' | 'organization' | 'service') =>
    ({ id, uid: `uid-${id}`, type, disabledBy: undefined, flags: [] }) as DataSet['accounts'][number];
  const repository = (id: string, mode: 'open' | 'private') =>
    ({ id, uid: id, account: 'tides', mode, state: 'unlisted', disabledBy: undefined, connection: 'store' }) as const;
  const uid = `uid-${serviceAccountId}`;
  const dataSet: DataSet = {
    accounts: [
      ...users.map((id) => ({ ...account(id, 'user'), identity: identityOf(id) })),
      account('tides', 'organization'),
      { ...account(serviceAccountId, 'service'), owner: 'tides' },
    ],
    repositories: [repository('open', 'open'), repository('closed', 'private')],
    memberships: [
      { id: String(foundingId), member: 'ada', account: 'tides', role: 'owners', state: 'member' },
      { id: invited.membership_id, member: 'ben', account: 'tides', role: 'write_data', state: 'member' },
    ],
    connections: [{ id: 'store', readOnly: false, modes: ['open', 'private'] }],
    keys: [{ id: apiKey.access_key_id, account: 'ben', revoked: false, expired: false }],
    signInKeys: [{ id: key.key_id, serviceAccount: uid, revoked: false, expired: false }],
    workflows: [Object.assign({ subject: subjectOf('main'), serviceAccount: uid }, { id: workflow.workflow_id })],
    grants: [{ serviceAccount: uid, repository: 'closed', access: 'read_write' }],
    transfers: [],
    links: [{ id: link.link_id, repository: 'closed', creator: 'ada', prefix: 'a/', ended: false }],
    configuredAdmins: ['admin'],
    endedSources: [],
  };
  const ada = dataSet.accounts.find(({ id }) => id === 'ada');
  ada?.flags.push('create_organizations');
  const credentials: Credential[] = [
    { name: 'anyone', signing: undefined, callerIn: () => ({ kind: 'anonymous' }) },
    apiKeyOf('the API key of ben', apiKey),
    sessionOf('a session of the first key', byKey, [0], { kind: 'key', id: key.key_id }, kernel.now),
    sessionOf('a session of the branch main', byWorkflow, [0], { kind: 'workflow', id: 'main' }, kernel.now),
    readerOf('a reader of the first link', { id: link.link_id, prefix: 'a/' }, byLink, 'data/tides/closed/'),
  ];
  return {
    items,
    now: kernel.now,
    dataSet,
    credentials,
    secrets: new Map([
      [key.key_id, key.key],
      [link.link_id, link.secret],
    ]),
    storage: service.storage,
  };
}
