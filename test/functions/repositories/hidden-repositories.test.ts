import { expect, test } from 'vitest';
import { type Answer, testService } from '../../service/test-service.ts';
import { connection, made, repository, signUp, signUpAdmin } from '../users.ts';

const service = await testService();
const admin = await signUpAdmin(service);
const ada = await signUp(service, 'ada');
await made(admin('POST', '/data-connections', connection('store-one')));
const { meta } = repository('');
for (const [repository_id, data_mode] of [
  ['open-one', 'open'],
  ['secret-merger', 'private'],
  ['open-two', 'open'],
  ['secret-layoffs', 'private'],
] as const) {
  await made(ada('POST', '/repositories/ada', repository(repository_id, { data_mode })));
  if (data_mode === 'open') await made(ada('PUT', `/repositories/ada/${repository_id}`, { meta, state: 'listed' }));
}
await ada('POST', '/accounts/ada/service-accounts', { name: 'robot' });

test('a list reveals no hidden item by an empty page, a further page, or a name in a cursor', async () => {
  const first = await service.anyone('GET', '/repositories/ada?limit=1');
  expect(first.body).toMatchObject([{ repository_id: 'open-one' }]);
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const cursor = new URL(next, service.apiUrl).searchParams.get('cursor') ?? '';
  for (const part of cursor.split('.'))
    expect(Buffer.from(part, 'base64url').toString('latin1')).not.toMatch(/open|secret/);
  const second = await service.anyone('GET', new URL(next, service.apiUrl).href);
  expect(second.body).toMatchObject([{ repository_id: 'open-two' }]);
  expect(second.headers.get('link')).toBeNull();
});

test('the catalogue does not reveal the repositories of a disabled account', async () => {
  const ben = await signUp(service, 'ben');
  for (const [owner, account_id, repository_id] of [
    [ben, 'ben', 'before-the-others'],
    [ben, 'ben', 'beside-them'],
    [ada, 'ada', 'behind-them'],
    [ben, 'ben', 'behind-all'],
  ] as const) {
    await made(owner('POST', `/repositories/${account_id}`, repository(repository_id)));
    await made(owner('PUT', `/repositories/${account_id}/${repository_id}`, { meta, state: 'listed' }));
  }
  await made(admin('POST', '/accounts/ben/disable'));
  const pages: unknown[] = [];
  for (let path: string | undefined = '/repositories?limit=1'; path !== undefined; ) {
    const answer: Answer = await service.anyone('GET', path);
    pages.push(answer.body.map((item: { repository_id: string }) => item.repository_id));
    const next: string | undefined = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
    path = next && new URL(next, service.apiUrl).href;
  }
  expect(pages).toEqual([['open-one'], ['open-two'], ['behind-them']]);
});

test('no answer reveals whether a service account exists', async () => {
  for (const path of ['/accounts/ID/profile', '/repositories/ID']) {
    const [there, absent] = await Promise.all(
      ['ada--robot', 'ada--nobody'].map((id) => service.anyone('GET', path.replace('ID', id))),
    );
    expect(there).toMatchObject({ status: 404, body: { ...absent?.body, request_id: there?.body.request_id } });
  }
});

test('no answer repeats a secret that was pasted into the wrong field', async () => {
  const pasted = `sck_${'A1b2'.repeat(9)}`;
  const answer = await service.anyone('POST', '/service-account-keys/revocations', { [pasted]: 1 });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).not.toContain(pasted);
});
