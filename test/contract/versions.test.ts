import { expect, test } from 'vitest';
import type { Operation } from '../../lib/operations/operation.ts';
import { registry } from '../../lib/operations/registry.ts';
import { made, newKey } from '../functions/users.ts';
import { postExchange } from '../service/raw-exchange.ts';
import { seededService } from '../service/seeded-service.ts';
import type { Client } from '../service/test-service.ts';
import { examplePath, operationsInOrder, startExampleRun } from './example-run.ts';

/** Checks which versions each changing operation increases. All other versions must stay the same. */

const shown = registry.filter(({ etag }) => etag !== undefined);
const thingOf = ({ target, path, example }: Operation) =>
  `${target} ${Object.entries(example?.path ?? {}).flatMap(([name, id]) => (path.includes(`{${name}}`) ? [id] : []))}`;

/** Returns the version of each resource. Every path that returns the resource must show the same version. */
async function readVersions(
  get: (path: string) => ReturnType<Client>,
  reads: readonly [thing: string, path: string][],
) {
  const versions: Record<string, string> = {};
  for (const [thing, path] of reads) {
    const { status, headers } = await get(path);
    // The overview of a disabled repository cannot be read.
    if (status !== 200) continue;
    const version = String(headers.get('etag'));
    expect([path, versions[thing] ?? version]).toEqual([path, version]);
    versions[thing] = version;
  }
  return versions;
}

const raisedBetween = (before: Record<string, string>, after: Record<string, string>) =>
  Object.keys(before).filter((thing) => after[thing] !== undefined && after[thing] !== before[thing]);

test('every change raises the version of its own resource only', async () => {
  const run = await startExampleRun();
  const ada = run.service.withAuthorization(run.tokenOf('ada'));
  const read = () =>
    readVersions(
      (path) => ada('GET', run.service.apiUrl + path),
      shown.map((operation) => [thingOf(operation), examplePath(operation, operation.example?.path ?? {})]),
    );
  const raising = new Set<string>();
  for (const operation of operationsInOrder.filter(({ method }) => method !== 'GET')) {
    const { authorization, path, body, headers } = await run.prepare(operation);
    const before = await read();
    const client = authorization === undefined ? run.service.anyone : run.service.withAuthorization(authorization);
    const answer = await client(operation.method, run.service.apiUrl + examplePath(operation, path), body, headers);
    if (answer.status === 201) run.remember(operation, answer.body);
    const raised = raisedBetween(before, await read());
    const changed = operation.kind === 'change' ? [thingOf(operation)] : [];
    expect([operation.name, answer.status < 300, raised]).toEqual([
      operation.name,
      true,
      raised.length > 0 ? changed : [],
    ]);
    if (raised.length > 0) raising.add(operation.name);
  }
  await run.close();
  const changing = registry.filter(({ kind, name }) => kind === 'change' && !name.startsWith('delete-'));
  expect(changing.filter(({ name }) => !raising.has(name)).map(({ name }) => name)).toEqual([]);
}, 120_000);

const service = await seededService();
const ada = await service.user('ada');

const organization = '/accounts/tide-institute';
const gauges = '/repositories/tide-institute/tide-gauges';
const robot = '/service-accounts/tide-institute--nightly-sync';
const meta = { title: 'T', description: 'D', tags: '' };
const reads: [string, string][] = [
  ['organization', organization],
  ['repository', gauges],
  ['service account', robot],
];
const none = undefined;
let keyOfAda: Client;

const steps: readonly [name: string, changes: string | undefined, act: () => Promise<unknown>][] = [
  ['a first disabling', 'organization', () => made(ada('POST', `${organization}/disable`))],
  ['a second disabling', none, () => made(ada('POST', `${organization}/disable`))],
  ['a first enabling', 'organization', () => made(ada('POST', `${organization}/enable`))],
  ['a second enabling', none, () => made(ada('POST', `${organization}/enable`))],
  [
    'a new key',
    none,
    async () => {
      keyOfAda = (await newKey(service, ada, '/accounts/ada')).client;
    },
  ],
  ['the use of a key', none, () => made(keyOfAda('GET', organization))],
  ['an update', 'repository', () => made(ada('PUT', gauges, { meta, state: 'listed' }))],
  ['the same update', 'repository', () => made(ada('PUT', gauges, { meta, state: 'listed' }))],
  ['another data mode', 'repository', () => made(ada('PUT', `${gauges}/data-mode`, { data_mode: 'private' }))],
  ['the same data mode', none, () => made(ada('PUT', `${gauges}/data-mode`, { data_mode: 'private' }))],
  ['a sign-in', none, () => postExchange(service, { WebIdentityToken: service.key })],
  ['a refused sign-in', none, () => postExchange(service, { WebIdentityToken: 'no.token.at-all' })],
  [
    'a revoked key',
    none,
    () => made(service.anyone('POST', '/service-account-keys/revocations', { key: service.key })),
  ],
];

test('repeated requests, sign-ins, and uses of keys raise the version only for a change', async () => {
  let before = await readVersions((path) => ada('GET', path), reads);
  for (const [name, changes, act] of steps) {
    await act();
    const after = await readVersions((path) => ada('GET', path), reads);
    expect([name, raisedBetween(before, after)]).toEqual([name, changes === undefined ? [] : [changes]]);
    before = after;
  }
});

test('every resource that accepts `If-Match` has a read that shows its version', () => {
  for (const { name, target } of registry.filter(({ kind }) => kind === 'change')) {
    expect(shown.filter((other) => other.target === target).length, name).toBeGreaterThan(0);
  }
});

test('every read of one resource shows its version, unless no record contains the answer', () => {
  const without = registry.filter(({ kind, etag }) => kind === 'read' && etag === undefined);
  expect(without.map(({ name }) => name).sort()).toEqual([
    // Background jobs write counts and progress, so their changes do not increase the version.
    'get-account-usage',
    // These values depend on the caller's rights and on the configuration.
    'get-client-settings',
    'get-file-deletion',
    'get-health',
    'get-inventory',
    'get-openapi',
    'get-repository-usage',
    'get-repository-usage-badge',
    'get-repository-usage-files',
    'get-repository-usage-report',
    'get-repository-usage-table',
    'get-service-usage',
    // Only the background job changes the progress.
    'get-version',
    // The citation contains the name of the account.
    'get-version-citation',
    'list-account-permissions',
    'list-repository-permissions',
    'search-accounts',
  ]);
});
