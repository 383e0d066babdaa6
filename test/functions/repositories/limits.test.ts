import { expect, test } from 'vitest';
import { keys } from '../../../lib/store/keys.ts';
import { testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { made, repository, signUpTides } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
const { admin, ada } = await signUpTides(service);

const count = async (repository_count: number) =>
  table.putAll([{ ...keys.repositoryCount('tides'), entity: 'repository_count', repository_count }]);
const create = (id: string) => ada('POST', '/repositories/tides', repository(id));

test('an account has at most 1,000 repositories, also after concurrent requests, and a deletion frees a slot', async () => {
  await count(999);
  const answers = await Promise.all([create('first'), create('second')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  const refused = await create('third');
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('at most 1000 repositories')]);
  const last = answers.find(({ status }) => status === 201)?.body.repository_id;
  await made(ada('POST', `/repositories/tides/${last}/disable`));
  await made(ada('POST', `/repositories/tides/${last}/delete`, { confirm: `tides/${last}` }));
  await made(create('third'));
});

test('an administrator sets another limit for one account, and the audit trail records it', async () => {
  await count(1000);
  expect((await ada('PUT', '/accounts/tides/repository-limit', { repositories_max: 1001 })).status).toBe(403);
  const set = await made(admin('PUT', '/accounts/tides/repository-limit', { repositories_max: 1001 }));
  expect(set.body).toEqual({ repositories_max: 1001, repositories: 1000 });
  await made(create('fourth'));
  expect((await create('fifth')).status).toBe(409);
  const [, event] = (await ada('GET', '/accounts/tides/audit-events?limit=2')).body;
  expect(event).toMatchObject({ kind: 'account.repository_limit_set', subject: { repositories_max: '1001' } });
});

test.each([
  ['just fits', 16_384, 201],
  ['is one byte longer', 16_385, 400],
])('metadata of four-byte letters that %s gets the matching answer', async (_, bytes, status) => {
  await count(0);
  const empty = { title: '', description: '', tags: '' };
  const meta = { ...empty, title: '🌊'.repeat(4000), tags: '' };
  const rest = bytes - Buffer.byteLength(JSON.stringify(meta));
  const answer = await ada(
    'POST',
    '/repositories/tides',
    repository(`wide-${bytes}`, { meta: { ...meta, tags: 'x'.repeat(rest) } }),
  );
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body.errors).toMatchObject([{ path: 'meta' }]);
});
