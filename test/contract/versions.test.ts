import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../lib/operations/operation.ts';
import { registry } from '../../lib/operations/registry.ts';
import { made, signUp } from '../functions/people.ts';
import { postExchange } from '../service/raw-exchange.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import type { Client } from '../service/test-service.ts';

/** Checks which versions each changing operation increases. All other versions must stay the same. */

let service: SeededService;
let admin: Client;
let ada: Client;
let ben: Client;
let dan: Client;
beforeAll(async () => {
  service = await startSeededService();
  [admin, ada] = [await service.person('admin'), await service.person('ada')];
  [ben, dan] = [await signUp(service, 'ben'), await signUp(service, 'dan')];
  await made(admin('POST', '/data-connections', connection('unused-store')));
  await newRepository('given');
  await newRepository('ended');
  await made(ada('DELETE', '/repositories/tide-institute/ended'));
});
afterAll(() => service.close());

const connection = (data_connection_id: string) => ({
  data_connection_id,
  name: 'A store',
  read_only: true,
  allowed_data_modes: ['open', 'private'],
  details: { provider: 's3', bucket: data_connection_id, base_prefix: '', region: 'eu-west-1' },
});
const meta = { title: 'T', description: 'D', tags: '' };
const newRepository = (repository_id: string, data_connection_id = 'local-store') =>
  made(ada('POST', '/repositories/tide-institute', { repository_id, data_mode: 'private', meta, data_connection_id }));
const organization = '/accounts/tide-institute';
const gauges = '/repositories/tide-institute/tide-gauges';
const robot = '/service-accounts/tide-institute--nightly-sync';

/** Every path that returns each resource. */
const shownAt: Readonly<Record<string, readonly string[]>> = {
  person: ['/accounts/ada', '/accounts/ada/flags', '/accounts/ada/profile'],
  organization: [organization, `${organization}/flags`, `${organization}/profile`],
  repository: [gauges, `${gauges}/overview`],
  'service account': [robot],
  connection: ['/data-connections/local-store'],
  'unused connection': ['/data-connections/unused-store'],
};

async function versions(): Promise<Record<string, string>> {
  const read = Object.entries(shownAt).map(async ([thing, paths]) => {
    const answers = await Promise.all(paths.map((path) => ada('GET', path)));
    // The overview of a disabled repository cannot be read.
    const tags = new Set(answers.filter(({ status }) => status === 200).map(({ headers }) => headers.get('etag')));
    // Every path returns the same version.
    expect([thing, tags.size]).toEqual([thing, 1]);
    return [thing, String([...tags][0])] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

const ids: Record<string, string> = {};
/** Sends a request and stores the ID of the created resource under a name. */
const keeping = async (name: string, field: string, answer: ReturnType<Client>) => {
  ids[name] = String((await made(answer)).body[field]);
};
const expires = '2090-01-01T00:00:00Z';
const key = { label: 'one', expiry: 'never' };
const workflow = { repository: 'tides/pipelines', branch: 'main' };

type Step = [name: string, changes: string | undefined, act: () => Promise<unknown>];
const none = undefined;

const steps: readonly Step[] = [
  ['create-account', none, async () => made((await service.person('cyd'))('POST', '/accounts', user('cyd')))],
  [
    'delete-account',
    none,
    async () => made((await service.person('cyd'))('POST', '/accounts/cyd/delete', { confirm: 'cyd' })),
  ],
  ['update-profile', 'person', () => made(ada('PUT', '/accounts/ada/profile', { bio: 'Changed' }))],
  ['update-profile', 'organization', () => made(ada('PUT', `${organization}/profile`, { bio: 'Changed' }))],
  ['update-account-flags', 'organization', () => made(admin('PUT', `${organization}/flags`, ['create_repositories']))],
  [
    'set-repository-limit',
    none,
    () => made(admin('PUT', `${organization}/repository-limit`, { repositories_max: 1200 })),
  ],
  ['disable-account', 'organization', () => made(ada('DELETE', organization))],
  ['disable-account', none, () => made(ada('DELETE', organization))],
  ['enable-account', 'organization', () => made(ada('POST', `${organization}/enable`))],
  ['block-account', none, () => made(ada('PUT', '/accounts/ada/blocked-accounts/ben'))],
  ['unblock-account', none, () => made(ada('DELETE', '/accounts/ada/blocked-accounts/ben'))],
  ['create-account-api-key', none, () => keyOf('/accounts/ada')],
  [
    'the use of a key',
    none,
    async () => made(service.withAuthorization(ids['/accounts/ada'] ?? '')('GET', organization)),
  ],
  ['revoke-api-key', none, () => made(ada('DELETE', `/api-keys/${ids['/accounts/ada']?.split(' ')[0]}`))],
  ['create-repository-api-key', none, () => keyOf(gauges)],
  ['invite-account-member', none, () => keeping('owner', 'membership_id', invite(organization, 'owners'))],
  ['accept-membership', none, () => made(ben('POST', `/memberships/${ids['owner']}/accept`))],
  ['update-membership-role', none, () => made(ada('POST', `/memberships/${ids['owner']}/update-role`, '"read_data"'))],
  ['revoke-membership', none, () => made(ada('POST', `/memberships/${ids['owner']}/revoke`))],
  ['invite-repository-member', none, () => keeping('reader', 'membership_id', invite(gauges, 'read_data'))],
  ['reject-membership', none, () => made(ben('POST', `/memberships/${ids['reader']}/reject`))],
  ['create-data-connection', none, () => made(admin('POST', '/data-connections', connection('other-store')))],
  ['create-repository', none, () => newRepository('first', 'unused-store')],
  [
    'update-data-connection',
    'unused connection',
    () => made(admin('PUT', '/data-connections/unused-store', { ...connection('unused-store'), name: 'B' })),
  ],
  [
    'test-data-connection',
    none,
    () => made(admin('POST', '/data-connections/local-store/test', { access: 'read_write' })),
  ],
  ['disable-data-connection', 'connection', () => made(admin('DELETE', '/data-connections/local-store'))],
  ['update-repository', 'repository', () => made(ada('PUT', gauges, { meta, state: 'listed' }))],
  ['update-repository', 'repository', () => made(ada('PUT', gauges, { meta, state: 'listed' }))],
  ['change-data-mode', 'repository', () => made(ada('PUT', `${gauges}/data-mode`, { data_mode: 'private' }))],
  ['change-data-mode', none, () => made(ada('PUT', `${gauges}/data-mode`, { data_mode: 'private' }))],
  ['disable-repository', 'repository', () => made(ada('DELETE', gauges))],
  ['enable-repository', 'repository', () => made(ada('POST', `${gauges}/enable`))],
  ['enable-repository', none, () => made(ada('POST', `${gauges}/enable`))],
  [
    'delete-repository',
    none,
    () => made(ada('POST', '/repositories/tide-institute/ended/delete', { confirm: 'tide-institute/ended' })),
  ],
  ['offer-transfer', none, () => keeping('offer', 'transfer_id', offer(gauges))],
  ['withdraw-transfer', none, () => made(ada('POST', `/transfers/${ids['offer']}/withdraw`))],
  ['offer-transfer', none, () => keeping('given', 'transfer_id', offer('/repositories/tide-institute/given'))],
  ['accept-transfer', none, () => made(dan('POST', `/transfers/${ids['given']}/accept`))],
  ['offer-transfer', none, () => keeping('declined', 'transfer_id', offer('/repositories/tide-institute/first'))],
  ['decline-transfer', none, () => made(dan('POST', `/transfers/${ids['declined']}/decline`))],
  ['create-service-account', none, () => made(ada('POST', `${organization}/service-accounts`, { name: 'spare' }))],
  ['delete-service-account', none, () => made(ada('DELETE', '/service-accounts/tide-institute--spare'))],
  ['update-service-account', 'service account', () => made(ada('PATCH', robot, { description: 'Changed' }))],
  ['issue-service-account-key', none, () => keeping('key', 'key_id', ada('POST', `${robot}/keys`, key))],
  [
    'change-service-account-key-expiry',
    none,
    () => made(ada('PUT', `${robot}/keys/${ids['key']}/expiry`, { expiry: '30d' })),
  ],
  ['revoke-service-account-key', none, () => made(ada('DELETE', `${robot}/keys/${ids['key']}`))],
  ['put-grant', none, () => made(ada('PUT', `${robot}/grants/tide-gauges`, { access: 'read' }))],
  ['remove-grant', none, () => made(ada('DELETE', `${robot}/grants/tide-gauges`))],
  [
    'trust-workflow',
    none,
    () => keeping('workflow', 'workflow_id', ada('POST', `${robot}/trusted-workflows`, workflow)),
  ],
  ['remove-trusted-workflow', none, () => made(ada('DELETE', `${robot}/trusted-workflows/${ids['workflow']}`))],
  ['create-data-credentials', none, () => made(ada('POST', '/session/data-credentials', { role: 'ReadOnly' }))],
  ['a sign-in', none, () => postExchange(service, { WebIdentityToken: service.key })],
  ['a refused sign-in', none, () => postExchange(service, { WebIdentityToken: 'no.token.at-all' })],
  ['disable-service-account', 'service account', () => made(ada('POST', `${robot}/disable`))],
  ['enable-service-account', 'service account', () => made(ada('POST', `${robot}/enable`))],
  [
    'revoke-found-key',
    none,
    () => made(service.anyone('POST', '/service-account-keys/revocations', { key: service.key })),
  ],
  [
    'revoke-found-keys',
    none,
    () => made(service.anyone('POST', '/service-account-keys/revocations/batch', { keys: [service.key] })),
  ],
  ['create-data-credentials', none, () => ada('POST', '/session/data-credentials', { role: 'ReadOnly' })],
  ['report-found-keys', none, () => service.anyone('POST', '/service-account-keys/reports', [])],
];

const user = (account_id: string) => ({ account_id, account_type: 'user', profile: {} });
const invite = (scope: string, role: string) => ada('POST', `${scope}/members`, { account_id: 'ben', role });
const offer = (repository: string) => ada('POST', `${repository}/transfers`, { to: 'dan' });
const keyOf = async (path: string) => {
  const { body } = await made(ada('POST', `${path}/api-keys`, { name: 'one', expires }));
  ids[path] = `${body.access_key_id} ${body.secret_access_key}`;
};

test('every operation that changes something raises the version of the thing that it changes, and no other', async () => {
  const changing = registry.filter(({ method }) => method !== 'GET' && method !== 'ANY').map(({ name }) => name);
  const tried = new Set(steps.map(([name]) => name));
  expect(changing.filter((name) => !tried.has(name))).toEqual([]);
  let before = await versions();
  for (const [name, changes, act] of steps) {
    await act();
    const after = await versions();
    const raised = Object.keys(after).filter((thing) => after[thing] !== before[thing]);
    expect([name, raised]).toEqual([name, changes === undefined ? [] : [changes]]);
    before = after;
  }
}, 120_000);

test('what an operation that takes `If-Match` changes has a version that a GET shows, unless it ends it', () => {
  const raising = new Set(steps.flatMap(([name, changes]) => (changes === undefined ? [] : [name])));
  for (const { name, kind, target } of registry) {
    if (name.startsWith('delete-')) continue;
    expect([name, raising.has(name)]).toEqual([name, kind === 'change']);
    if (kind !== 'change') continue;
    const shown = registry.filter((other) => other.target === target && other.etag !== undefined);
    expect(shown.length, name).toBeGreaterThan(0);
  }
});

test('every GET of one thing shows its version: those that do not are lists, or of what no record holds', () => {
  const isMeant = ({ kind }: Operation) => kind === 'read';
  const without = registry.filter((operation) => isMeant(operation) && operation.etag === undefined);
  expect(without.map(({ name }) => name).sort()).toEqual([
    // These depend on the caller's rights and on the configuration.
    'get-client-settings',
    'get-health',
    'get-openapi',
    'list-account-permissions',
    'list-repository-permissions',
    'search-accounts',
  ]);
});
