import { beforeEach, describe, expect, test } from 'vitest';
import type { DisabledBy } from '../../../lib/domain/accounts/disabling.ts';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { keys } from '../../../lib/store/keys.ts';
import { whoDisabledWhat } from '../../../lib/store/migrations/0003-who-disabled.ts';
import { identitiesOfOrganizations } from '../../../lib/store/migrations/0005-identities-of-organizations.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import {
  auditEvent,
  creation,
  migrate,
  newAccount,
  newMembership,
  now,
  type OpenedStore,
  openStore,
} from './open-store.ts';

let opened: OpenedStore;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  await items.putAll([encodeFinished([])]);
});

const repository = (repository_id: string, changes: Partial<RepositoryRecord> = {}): RepositoryRecord => ({
  account_id: 'tides',
  repository_id,
  state: 'unlisted',
  data_mode: 'open',
  featured: 0,
  meta: { title: '', description: '', tags: '' },
  data: { primary_mirror: 'store', mirrors: { store: { data_connection_id: 'store', prefix: `${repository_id}/` } } },
  published: now,
  disabled: false,
  ...changes,
});

const disabledByOf = async (repository_id: string) =>
  (await opened.table.get(keys.repository('tides', repository_id)))?.['disabled_by'];

/** The trail as it grows: each disabling a second after the one before. */
let second = 0;
const disabling = (repository_id: string, disabled_by?: DisabledBy) => ({
  ...auditEvent('tides'),
  time: `2030-01-01T00:00:${String(second++).padStart(2, '0')}.000Z`,
  kind: 'repository.disabled' as const,
  subject: { account_id: 'tides', repository_id, ...(disabled_by === undefined ? {} : { disabled_by }) },
});

describe('who disabled a repository', () => {
  const run = () => migrate(opened, [whoDisabledWhat]);

  test('is an administrator where an older release did it', async () => {
    await items.putAll([encodeRepository(repository('gauges', { disabled: true }))]);
    await run();
    expect(await disabledByOf('gauges')).toBe('admin');
  });

  test('stays its owner where this release did it, whatever else is in the trail', async () => {
    const read = repository('gauges');
    await items.putAll([encodeRepository(read), encodeRepository(repository('other', { disabled: true }))]);
    await opened.store.repositories.setDisabled(
      { repository: read, account: { disabled: false } },
      'owner',
      disabling('gauges', 'owner'),
    );
    await opened.store.auditEvents.record(disabling('other'));
    await run();
    expect([await disabledByOf('gauges'), await disabledByOf('other')]).toEqual(['owner', 'admin']);
  });

  test('is an administrator where an older release enabled and disabled it after its owner had disabled it', async () => {
    await opened.store.auditEvents.record(disabling('gauges', 'owner'));
    await opened.store.auditEvents.record(disabling('gauges'));
    await items.putAll([encodeRepository(repository('gauges', { disabled: true, disabled_by: 'owner' }))]);
    await run();
    expect(await disabledByOf('gauges')).toBe('admin');
  });

  test('is nobody where it is enabled, also when an older release did that', async () => {
    await items.putAll([encodeRepository(repository('gauges', { disabled: false, disabled_by: 'owner' }))]);
    await run();
    expect(await opened.table.get(keys.repository('tides', 'gauges'))).not.toHaveProperty('disabled_by');
    expect((await run()).reports).toMatchObject([{ changed: 0 }]);
  });
});

test('an organization that an older release made has the identity of nobody, before the migration and after it', async () => {
  const owner = newMembership('ada', 'tides', { state: 'member' });
  const made = newAccount('tides', { account_type: 'organization', identity_id: 'subject of ada' });
  await opened.store.accounts.createOrganization(made, owner, creation('tides'));
  const read = async () =>
    (await opened.store.facts.readRequestData({ scope: { account_id: 'tides' } })).account?.identity_id;
  expect(await read()).toBe('organization:tides');
  await migrate(opened, [identitiesOfOrganizations]);
  expect(await opened.table.get(keys.account('tides'))).toMatchObject({ identity_id: 'organization:tides' });
  expect(await read()).toBe('organization:tides');
});
