import { beforeEach, expect, test } from 'vitest';
import { encode } from '../../../../lib/store/codec.ts';
import { inList, keys, lists } from '../../../../lib/store/keys.ts';
import { memberWrites } from '../../../../lib/store/memberships/memberships.ts';
import { encodeRepository } from '../../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../../functions/table-items.ts';
import { watchRequests } from '../../../service/watched-requests.ts';
import { auditEvent, newMembership, newRepository, now, openStore, outcomeOf } from '../open-store.ts';

const ended = { account_id: 'acme', repository_id: 'tides', uid: 'uid of the deleted one' };
const count = 60;
const each = Array.from({ length: count }, (_, number) => String(number).padStart(2, '0'));

let opened: Awaited<ReturnType<typeof openStore>>;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  const later = { ...ended, uid: 'uid of the one made again' };
  await items.putAll([
    ...each.flatMap((name) => [...given(name, ended), ...grantOf(name, ended)]),
    ...given('newcomer', later),
  ]);
});

/** Returns a membership with its role, and a key, as the store writes them for a repository. */
function given(name: string, { account_id, repository_id, uid }: typeof ended): object[] {
  const membership = newMembership(`member-${name}`, account_id, { state: 'member' });
  const writes = memberWrites({ ...membership, repository_id, repository_uid: uid });
  const access_key_id = `SCAK${name}`;
  const key = {
    ...{ access_key_id, account_id, repository_id, repository_uid: uid, name, disabled: false },
    ...{ secret_version: 1, secret_hash: '', expires: '2999-01-01T00:00:00.000Z', created_at: now },
  };
  const list = inList(lists.apiKeys(`${account_id}/${repository_id}`), now, access_key_id);
  return [
    ...writes.flatMap((write) => (write.kind === 'put' ? [write.item] : [])),
    encode('api_key', key, { key: keys.apiKey(access_key_id), list }),
  ];
}

function grantOf(name: string, { account_id, repository_id, uid: repository_uid }: typeof ended): object[] {
  const service_account_id = `${account_id}--sync-${name}`;
  const uid = `uid-${name}`;
  const serviceAccount = { service_account_id, owner_account_id: account_id, name: `sync-${name}`, description: '' };
  return [
    encode(
      'service_account',
      { ...serviceAccount, uid, version: 1, disabled: false, created_at: now, times_disabled: 0, grant_count: 1 },
      {
        key: keys.account(service_account_id),
        list: inList(lists.serviceAccounts(account_id), now, service_account_id),
      },
    ),
    encode('grant', { repository_id, access: 'read', repository_uid }, { key: keys.grant(uid, repository_id) }),
  ];
}

test('the cleanup removes the rights in a deleted repository, after interruptions, and none in the recreated one', async () => {
  let writes = 0;
  const cutOffAt = new Set([7, 50, 100]);
  watchRequests(({ command }) => {
    if (!/^(?:TransactWriteItems|DeleteItem)Command$/.test(command)) return;
    writes += 1;
    if (cutOffAt.delete(writes)) throw Object.assign(new Error('cut off'), { code: 'ECONNRESET' });
  }).instrument(opened.client);
  const remove = () => opened.store.repositoryEnds.removeRemains(ended, now);
  for (let tries = 0; tries < 3; tries += 1)
    await expect(remove()).rejects.toMatchObject({ cause: { message: 'cut off' } });
  await remove();
  await remove();

  const all = await items.all();
  const of = (uid: string) => all.filter((item) => item['repository_uid'] === uid);
  const listed = of(ended.uid).filter(({ entity }) => entity === 'membership_entry');
  expect(listed.map(({ pk, state }) => [String(pk).split('#')[0], state])).toEqual(
    each.map(() => ['REVOKED', 'revoked']),
  );
  const left = of(ended.uid).filter(({ entity }) => entity !== 'membership_entry');
  expect(left.map(({ entity, state, list_pk }) => ({ entity, state, list_pk }))).toEqual(
    each.map(() => ({ entity: 'membership', state: 'revoked', list_pk: undefined })),
  );
  const kinds = of('uid of the one made again').map(({ entity }) => entity);
  expect(kinds.toSorted()).toEqual(['api_key', 'membership', 'membership_entry', 'role']);
  expect(all.filter(({ entity, grant_count }) => entity === 'service_account' && grant_count === 0)).toHaveLength(
    count,
  );
});

test('a repository from a stale read is deleted neither twice nor after an administrator disabled it', async () => {
  const { store } = opened;
  const read = newRepository('acme', 'stale', {
    disabled: true,
    disabled_by: 'owner',
    data: { primary_mirror: '', mirrors: {} },
  });
  await items.putAll([encodeRepository({ ...read, disabled_by: 'admin', version: 2 })]);
  expect(await outcomeOf(store.repositoryEnds.delete(read, auditEvent('acme')))).toBe('conflict');
  await items.putAll([encodeRepository(read)]);
  expect(await outcomeOf(store.repositoryEnds.delete(read, auditEvent('acme')))).toBe('done');
  expect(await outcomeOf(store.repositoryEnds.delete(read, auditEvent('acme')))).toBe('conflict');
});
