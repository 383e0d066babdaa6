import { type DisabledBy, whoDisabled } from '../../domain/accounts/disabling.ts';
import { auditEventSchema } from '../../domain/changes/audit.ts';
import { limits } from '../../domain/limits.ts';
import { everyPage } from '../../domain/list-pages.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import { accountRecord, repositoryRecord } from '../records.ts';
import type { Item } from '../table.ts';
import { attributesOf, type Migration, type MigrationContext } from './migration.ts';

/**
 * An older release neither says who disabled something nor takes away what this one had said. Whatever it disabled is an
 * administrator's to enable: also where an owner had disabled it before, with this release, and somebody enabled it between.
 */
export const whoDisabledWhat: Migration = {
  name: '0003-who-disabled',
  entities: ['account', 'repository'],
  async *changes(item, context) {
    const { account_id, repository_id, ...thing } =
      item['entity'] === 'repository'
        ? decode(repositoryRecord, item)
        : { repository_id: undefined, ...decode(accountRecord, item) };
    const by = whoDisabled(thing);
    const disabled_by = by === 'owner' ? await lastDisabledBy({ account_id, repository_id }, context) : by;
    yield* attributesOf(item, { disabled_by });
  },
};

/** As the trail has it, where only this release writes down who it was. */
async function lastDisabledBy(
  { account_id, repository_id }: { account_id: string; repository_id: string | undefined },
  { table }: Pick<MigrationContext, 'table'>,
): Promise<DisabledBy> {
  const { pk } = keys.auditEvent(account_id, '', '');
  const range = { from: '0', to: '9\uffff' };
  const kind = repository_id === undefined ? 'account.disabled' : 'repository.disabled';
  const newestFirst = everyPage<Item>((after) =>
    table.partitionPage(pk, range, { limit: limits.listPageMax, after, newestFirst: true }),
  );
  for await (const page of newestFirst) {
    for (const item of page) {
      const event = decode(auditEventSchema, item);
      if (event.kind !== kind || event.subject['repository_id'] !== repository_id) continue;
      return event.subject['disabled_by'] === 'owner' ? 'owner' : 'admin';
    }
  }
  return 'admin';
}
