import { beforeEach, expect, test } from 'vitest';
import { keys } from '../../../lib/store/keys.ts';
import { encodeEntry } from '../../../lib/store/memberships/memberships.ts';
import { countReads } from '../../bounds/counted-reads.ts';
import { newMembership } from '../../lib/store/open-store.ts';
import { type Answer, testService } from '../../service/test-service.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { lookAtTable } from '../table-items.ts';
import { invite, made, signUp, signUpAdmin } from '../users.ts';

const table = lookAtTable();
const { requests, instrument, commands } = watchRequests();
const reads = countReads();

/** Returns this number of memberships in the given state, created one second apart. */
const entries = (state: 'member' | 'invited' | 'revoked', count: number) =>
  Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.now() - 86_400_000 + index * 1000).toISOString();
    const membership = newMembership('victim', `${state}-${index}`, { role: 'read_data', state });
    return { ...membership, created_at: at, state_changed: at };
  });
const joined = entries('member', 3);
const flood = [...entries('invited', 2500), ...entries('revoked', 2500)];

const service = await testService({
  tableName: table.tableName,
  instrument: (client) => {
    reads.instrument(client);
    instrument(client);
  },
});
await table.stopStream();
const admin = await signUpAdmin(service);
const victim = await signUp(service, 'victim');
await table.putAll([...flood, ...joined].map(encodeEntry));
beforeEach(() => {
  requests.length = 0;
});

const idsOf = ({ body }: Answer): string[] =>
  body.memberships.map(({ membership_id }: { membership_id: string }) => membership_id);
const nextOf = ({ headers }: Answer) => {
  const target = headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1];
  return target === undefined ? undefined : new URL(target, service.apiUrl).href;
};
const newestFirst = (list: readonly { membership_id: string }[]) =>
  list.map(({ membership_id }) => membership_id).toReversed();

test.each(['/whoami', '/whoami?limit=137'])(
  '%s returns all memberships of a session in pages: accepted, open, then revoked, newest first, each in four round trips',
  async (path) => {
    const ids: string[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      requests.length = 0;
      const page: string = next;
      let answer: Answer | undefined;
      const { oneAfterAnother } = await reads.during(async () => {
        answer = await made(victim('GET', page));
      });
      if (answer === undefined) throw new Error('no answer');
      expect(answer.body.account.account_id).toBe('victim');
      expect(oneAfterAnother).toBeLessThanOrEqual(4);
      // The account names of a page are read in parallel batches of 100.
      const ofNames = Math.ceil(answer.body.memberships.length / 100);
      expect(requests.length).toBeLessThanOrEqual(5 + ofNames);
      expect(commands().filter((name) => name === 'QueryCommand').length).toBeLessThanOrEqual(3);
      ids.push(...idsOf(answer));
      next = nextOf(answer);
    }
    const ofState = (state: string) => newestFirst(flood.filter((one) => one.state === state));
    expect(ids).toEqual([...newestFirst(joined), ...ofState('invited'), ...ofState('revoked')]);
  },
);

test('the last page of a list has no cursor if the lists after it are empty', async () => {
  const alone = await signUp(service, 'alone');
  const mine = Array.from({ length: 2 }, (_, index) => newMembership('alone', `of-${index}`, { state: 'member' }));
  await table.putAll(mine.map(encodeEntry));
  const answer = await made(alone('GET', '/whoami?limit=2'));
  expect([idsOf(answer).length, nextOf(answer)]).toEqual([2, undefined]);
});

test('a session does not show memberships that were revoked more than 400 days ago', async () => {
  const old = await signUp(service, 'old');
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const revoked = [399, 401].map((days) => ({
    ...newMembership('old', `of-${days}`, { state: 'revoked' }),
    state_changed: at(days),
  }));
  await table.putAll(revoked.map(encodeEntry));
  expect(idsOf(await made(old('GET', '/whoami')))).toEqual([revoked[0]?.membership_id]);
});

test('the memberships that data requests read contain no invitations', async () => {
  const { pk, sk } = keys.role('victim', '');
  await invite(admin, await organizationOf('shore'), 'victim', 'read_data');
  const roles = (await table.all()).filter((item) => item['pk'] === pk && String(item['sk']).startsWith(sk));
  expect(roles).toEqual([]);
});

test('a user has at most 1,000 accepted memberships, and can accept another after leaving one', async () => {
  const user = await signUp(service, 'joiner');
  const organization = await organizationOf('harbour');
  await table.putAll([{ ...keys.acceptedCount('joiner'), entity: 'accepted_count', accepted_count: 999 }]);
  const accept = async (scope: string) => {
    const id = await invite(admin, scope, 'joiner', 'read_data');
    return { id, answer: await user('POST', `/memberships/${id}/accept`) };
  };
  const last = await accept(organization);
  expect(last.answer.status).toBe(200);
  const { id, answer } = await accept(await organizationOf('lagoon'));
  expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('1000 accounts and repositories')]);
  await made(user('POST', `/memberships/${last.id}/revoke`));
  await made(user('POST', `/memberships/${id}/accept`));
});

async function organizationOf(account_id: string): Promise<string> {
  await made(admin('POST', '/accounts', { account_id, account_type: 'organization', profile: {} }));
  return account_id;
}
