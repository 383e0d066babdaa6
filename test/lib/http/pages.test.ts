import { describe, expect, test } from 'vitest';
import { createOrganization, made, signUp, signUpAdmin, signUpFounder } from '../../functions/users.ts';
import { type Answer, type Client, testService } from '../../service/test-service.ts';

const service = await testService();
const ada = await signUpFounder(service, await signUpAdmin(service), 'ada');
await createOrganization(ada, 'tides');

function nextOf(answer: Answer): string | undefined {
  const target = answer.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1];
  return target === undefined ? undefined : new URL(target, service.apiUrl).href;
}

describe('a page', () => {
  test.each(['1', '1000', '999'])('of %s items is accepted', async (limit) => {
    expect((await ada('GET', `/accounts/tides/api-keys?limit=${limit}`)).status).toBe(200);
  });

  test.each(['0', '1001', '9999', '10000', '-1', '1.5', '01', '1e3', '', 'all', '1,2', '1&limit=2', '%EF%BC%91'])(
    'of "%s" items is refused',
    async (limit) => {
      const answer = await ada('GET', `/accounts/tides/api-keys?limit=${limit}`);
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'limit' }] } });
    },
  );
});

const expires = '2090-01-01T00:00:00.000Z';
for (const name of ['one', 'two', 'three']) {
  for (const account of ['ada', 'tides']) await made(ada('POST', `/accounts/${account}/api-keys`, { name, expires }));
}
const next = nextOf(await made(ada('GET', '/accounts/ada/api-keys?limit=1'))) ?? '';
const cursor = new URL(next).searchParams.get('cursor') ?? '';

describe('a cursor', () => {
  const get = (client: Client, path: string, text: string) =>
    client('GET', `${path}?cursor=${encodeURIComponent(text)}`);
  const refused = {
    status: 400,
    body: { errors: [{ path: 'cursor', message: 'is not a cursor of this list; leave it out to start again' }] },
  };

  test('does not reveal its position', () => {
    for (const part of cursor.split('.'))
      expect(Buffer.from(part, 'base64url').toString('latin1')).not.toContain('SCAK');
  });

  test('continues the list that issued it', async () => {
    const { body } = await made(ada('GET', next));
    expect(body).toMatchObject([{ name: 'two' }]);
    expect((await get(ada, '/accounts/ada/api-keys', cursor)).body).toMatchObject([{ name: 'two' }, { name: 'three' }]);
  });

  test.each([
    ['made up', 'cursor'],
    ['empty', ''],
    ['consisting of dots', '...'],
    ['with another end', cursor.replace(/.{8}$/, 'AAAAAAAA')],
    ['with another beginning', cursor.replace(/\..{8}/, '.AAAAAAAA')],
    ['without its tag', cursor.replace(/[^.]+$/, '')],
    ['with a tag cut short', cursor.slice(0, -1)],
    ['with a tag that goes on', `${cursor}A`],
    ['with a fourth part', `${cursor}.x`],
    ['of a secret that is not', cursor.replace(/^\d+/, '99')],
    ['with a tag of other characters', cursor.replace(/[^.]+$/, 'é'.repeat(22))],
  ])('%s is refused', async (_, text) => {
    expect(await get(ada, '/accounts/ada/api-keys', text)).toMatchObject(refused);
  });

  test('of another account, operation, or caller is refused', async () => {
    expect(await get(ada, '/accounts/tides/api-keys', cursor)).toMatchObject(refused);
    expect(await get(ada, '/accounts/ada/members', cursor)).toMatchObject(refused);
    const ben = await signUp(service, 'ben');
    expect((await get(ben, '/accounts/ada/api-keys', cursor)).status).toBe(403);
    const invited = await made(ada('POST', '/accounts/tides/members', { account_id: 'ben', role: 'maintainers' }));
    await made(ben('POST', `/memberships/${invited.body.membership_id}/accept`));
    const ofAda = nextOf(await made(ada('GET', '/accounts/tides/api-keys?limit=1'))) ?? '';
    expect((await ben('GET', '/accounts/tides/api-keys')).status).toBe(200);
    expect(await ben('GET', ofAda)).toMatchObject(refused);
  });

  test('that is too long is refused', async () => {
    expect((await get(ada, '/accounts/ada/api-keys', 'x'.repeat(2049))).status).toBe(400);
  });
});
