import { expect, test } from 'vitest';
import { needsBearerToken } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { testService } from '../../service/test-service.ts';
import { made, repository, signUpTides } from '../people.ts';

const service = await testService();
const { ada } = await signUpTides(service);
await made(ada('POST', '/repositories/tides', repository('gauges')));
for (const name of ['working', 'paused']) await made(ada('POST', '/accounts/tides/service-accounts', { name }));
await made(ada('POST', '/service-accounts/tides--paused/disable'));
await made(ada('PUT', '/service-accounts/tides--working/grants/gauges', { access: 'read' }));
const expires = new Date(Date.now() + 86_400_000).toISOString();
const { body } = await made(ada('POST', '/accounts/ada/api-keys', { name: 'on a laptop', expires }));
const leaked = service.withAuthorization(`${body.access_key_id} ${body.secret_access_key}`);

const attacks: readonly [what: string, method: string, path: string, body?: unknown][] = [
  ['disable the organization', 'DELETE', '/accounts/tides'],
  ['disable a repository', 'DELETE', '/repositories/tides/gauges'],
  ['enable a repository', 'POST', '/repositories/tides/gauges/enable'],
  ['make a service account', 'POST', '/accounts/tides/service-accounts', { name: 'back-door' }],
  ['describe a service account', 'PATCH', '/service-accounts/tides--working', { description: 'harmless' }],
  ['disable a service account', 'POST', '/service-accounts/tides--working/disable'],
  ['enable a disabled service account again', 'POST', '/service-accounts/tides--paused/enable'],
  ['delete a service account', 'DELETE', '/service-accounts/tides--working'],
  ['widen a grant', 'PUT', '/service-accounts/tides--working/grants/gauges', { access: 'read_write' }],
  ['take a grant away', 'DELETE', '/service-accounts/tides--working/grants/gauges'],
];

test.for(attacks)('a leaked key of an owner does not %s', async ([, method, path, body]) => {
  const answer = await leaked(method, path, body);
  expect(answer).toMatchObject({
    status: 403,
    body: { detail: 'An API key may not do this; sign in and use a bearer token' },
  });
});

test('and after all of that everything is as it was', async () => {
  for (const [, method, path, body] of attacks) await leaked(method, path, body);
  expect((await made(ada('GET', '/accounts/tides'))).body.disabled).toBe(false);
  expect((await made(ada('GET', '/repositories/tides/gauges'))).body.disabled).toBe(false);
  const { body: accounts } = await made(ada('GET', '/accounts/tides/service-accounts'));
  expect(accounts).toMatchObject([
    { service_account_id: 'tides--working', description: '', disabled: false },
    { service_account_id: 'tides--paused', disabled: true },
  ]);
  expect((await made(ada('GET', '/service-accounts/tides--working/grants'))).body).toEqual([
    { repository_id: 'gauges', access: 'read', repository_title: 'Gauges' },
  ]);
});

test('API keys open every operation that reads, and of those that change something three', () => {
  const looked = registry.filter(({ ignoresAuthorization }) => !ignoresAuthorization);
  const open = looked.filter((operation) => !needsBearerToken(operation));
  expect(open.filter(({ method }) => method !== 'GET').map(({ name }) => name)).toEqual([
    'update-profile',
    'create-repository',
    'update-repository',
  ]);
  expect(looked.filter(({ method }) => method === 'GET').filter(needsBearerToken)).toEqual([]);
});
