import { beforeEach, describe, expect, test } from 'vitest';
import { deriveApiKeySecret, hashApiKeySecret } from '../../../lib/domain/secrets/api-key-secrets.ts';
import { encode } from '../../../lib/store/codec.ts';
import { type Key, keys, lists } from '../../../lib/store/keys.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import type { Migration } from '../../../lib/store/migrations/migration.ts';
import { releasedMigrations } from '../../../lib/store/migrations/released.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import type { Item } from '../../../lib/store/table.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { formerMembership } from './former-memberships.ts';
import {
  issuer,
  migrate,
  newAccount,
  newMembership,
  newRepository,
  now,
  type OpenedStore,
  openStore,
} from './open-store.ts';

/** Every migration over thousands of items: stopped half-way, gone on with, and closed after the older release wrote more. */

/** Those that other tests take through thousands have some hundreds here. */
const hundreds = { count: 600, pageSize: 150 };
const thousands = { count: 2000, pageSize: 500 };
const sizeOf = (name: string) => (/^000[2467]-/.test(name) ? hundreds : thousands);
const master = { version: 1, key: new Uint8Array(32).fill(7), created_at: 0 };

interface Case {
  /** What an older release wrote for the one with this number. */
  former(number: number): Item[];
  /** Whether that is now as this release has it. */
  isRight(find: (key: Key) => Item | undefined, number: number): boolean;
}

const id = (number: number) => `n-${number}`;
const repositoryOf = (number: number) => newRepository('acme', id(number), { uid: undefined });
const without = (item: Item, ...names: string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
const accessKeyId = (number: number) => `SCAK${number}`;
const membershipId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const cases: Readonly<Record<string, Case>> = {
  '0001-places-of-repositories': {
    former: (number) => [{ ...encodeRepository(repositoryOf(number)), list_pk: 'elsewhere' }],
    isRight: (find, number) => find(keys.repository('acme', id(number)))?.['list_pk'] === lists.repositories('acme'),
  },
  '0002-internal-ids': {
    former: (number) => [
      encodeRepository(repositoryOf(number)),
      {
        ...keys.role('ada', `acme/${id(number)}`),
        ...{ entity: 'role', membership_id: membershipId(number), role: 'owners', state: 'member' },
      },
    ],
    isRight: (find, number) => {
      const uid = find(keys.repository('acme', id(number)))?.['uid'];
      return uid !== undefined && find(keys.role('ada', `acme/${id(number)}`))?.['repository_uid'] === uid;
    },
  },
  '0003-who-disabled': {
    former: (number) => [encodeRepository({ ...repositoryOf(number), disabled: true })],
    isRight: (find, number) => find(keys.repository('acme', id(number)))?.['disabled_by'] === 'admin',
  },
  '0004-identities-of-people': {
    former: (number) => [
      encode('account', newAccount(id(number), { identity_id: `of ${number}` }), { key: keys.account(id(number)) }),
      encode('identity', { account_id: id(number) }, { key: keys.formerIdentity(`of ${number}`) }),
    ],
    isRight: (find, number) => find(keys.person(issuer, `of ${number}`))?.['account_id'] === id(number),
  },
  '0005-identities-of-organizations': {
    former: (number) => {
      const account = newAccount(id(number), { account_type: 'organization', identity_id: 'of its founder' });
      return [{ ...account, ...keys.account(id(number)), entity: 'account' }];
    },
    isRight: (find, number) => find(keys.account(id(number)))?.['identity_id'] === `organization:${id(number)}`,
  },
  '0006-secrets-of-api-keys': {
    former: (number) => {
      const record = { access_key_id: accessKeyId(number), account_id: 'acme', name: 'key', disabled: false };
      const times = { expires: '2999-01-01T00:00:00.000Z', created_at: now };
      return [encode('api_key', { ...record, ...times, secret_version: 1 }, { key: keys.apiKey(accessKeyId(number)) })];
    },
    isRight: (find, number) =>
      find(keys.apiKey(accessKeyId(number)))?.['secret_hash'] ===
      hashApiKeySecret(deriveApiKeySecret(master, accessKeyId(number))),
  },
  '0007-places-of-memberships': {
    former: (number) => {
      const invited = newMembership('ada', `org-${number}`, { role: 'read_data' });
      return Object.values(formerMembership({ ...invited, membership_id: membershipId(number) }));
    },
    isRight: (find, number) =>
      find(keys.openMembership('ada', now, membershipId(number))) !== undefined &&
      find(keys.acceptedMembership('ada', now, membershipId(number))) === undefined &&
      find(keys.role('ada', `org-${number}`)) === undefined,
  },
  '0008-visible-repositories': {
    former: (number) => [without(encodeRepository(repositoryOf(number)), 'sublist_pk', 'sublist_sk')],
    isRight: (find, number) => find(keys.repository('acme', id(number)))?.['sublist_pk'] !== undefined,
  },
  '0009-versions': {
    former: (number) => [encodeRepository(repositoryOf(number))],
    isRight: (find, number) => find(keys.repository('acme', id(number)))?.['version'] === 1,
  },
  '0010-names-of-repositories': {
    former: (number) => [without(encodeRepository(repositoryOf(number)), 'name_pk', 'name_sk')],
    isRight: (find, number) => find(keys.repository('acme', id(number)))?.['name_pk'] !== undefined,
  },
  '0011-places-of-people': {
    former: (number) => [
      encode('account', newAccount(id(number), { profile: { name: 'Ada' } }), { key: keys.account(id(number)) }),
    ],
    isRight: (find, number) =>
      find(keys.account(id(number)))?.['list_sk'] === id(number) &&
      find(keys.account(id(number)))?.['sublist_sk'] === `ada#${id(number)}`,
  },
};

let opened: OpenedStore;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  const organization = newAccount('acme', { account_type: 'organization', identity_id: 'organization:acme' });
  await items.putAll([
    encodeFinished([]),
    { ...organization, ...keys.account('acme'), entity: 'account' },
    { ...newAccount('ada'), identity_issuer: issuer, ...keys.account('ada'), entity: 'account' },
    encode('person', { account_id: 'ada' }, { key: keys.person(issuer, 'identity of ada') }),
  ]);
});

const run = (migration: Migration, isFinishing = false) => {
  const { pageSize } = sizeOf(migration.name);
  return migrate(opened, [migration], {
    ...{ isFinishing, pageSize, userIssuer: issuer },
    apiKeyMasters: async () => [master],
  });
};

/** Lets so many changes through, and fails all that come later; returns how many there were when it is taken away. */
function stopAfter(changes: number) {
  let seen = 0;
  opened.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (!/^(Update|TransactWrite)Item/.test(String(commandName))) return next(args);
        seen += 1;
        if (seen > changes) throw Object.assign(new Error('the machine went away'), { code: 'ECONNRESET' });
        return next(args);
      },
    { step: 'initialize', name: 'stop-after', override: true },
  );
  return () => seen;
}

async function numberRight({ isRight }: Case, numbers: number): Promise<number> {
  const all = new Map((await items.all()).map((item) => [`${item['pk']} ${item['sk']}`, item]));
  const find = ({ pk, sk }: Key) => all.get(`${pk} ${sk}`);
  return Array.from({ length: numbers }).filter((_, number) => isRight(find, number)).length;
}

describe('over thousands of items', { timeout: 300_000 }, () => {
  test.each(releasedMigrations.map((migration) => [migration.name, migration] as const))(
    '%s goes on where it was stopped, and is closed with what the older release wrote meanwhile',
    async (name, migration) => {
      const each = cases[name];
      const { count, pageSize } = sizeOf(name);
      if (each === undefined) throw new Error(`${name} has no row here: say what the older release wrote`);
      const former = (from: number, to: number) =>
        items.putAll(Array.from({ length: to - from }, (_, index) => each.former(from + index)).flat());
      await former(0, count);
      expect(await numberRight(each, count)).toBe(0);

      // Past the first page of the scan, and far from the end.
      stopAfter(pageSize * 1.8);
      await expect(run(migration)).rejects.toThrow('the machine went away');
      const rightBefore = await numberRight(each, count);
      expect(rightBefore).toBeLessThan(count);

      const changes = stopAfter(Number.POSITIVE_INFINITY);
      const resumed = await run(migration);
      expect(resumed).toMatchObject({ unreadable: [], reports: [{ outcome: 'open' }] });
      expect(await numberRight(each, count)).toBe(count);
      // What the first part had done is not written again, but for what follows from each item of the page it was at.
      expect(changes()).toBeLessThan(each.former(0).length * count);

      await former(count, count + 10);
      expect(await run(migration, true)).toMatchObject({ unreadable: [], reports: [{ outcome: 'finished' }] });
      expect(await numberRight(each, count + 10)).toBe(count + 10);
      expect((await run(migration)).reports).toMatchObject([{ outcome: 'finished before' }]);
    },
  );
});
