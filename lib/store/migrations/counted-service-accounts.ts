import { limits } from '../../domain/limits.ts';
import { everyPage } from '../../domain/list-pages.ts';
import { encode } from '../codec.ts';
import { type Key, keys, lists } from '../keys.ts';
import type { Item } from '../table.ts';
import { attributesOf, type ItemChanges, type MigrationContext } from './migration.ts';

/**
 * How many service accounts an account has, which keeps it from being deleted. An older release made some without
 * counting them, and deleted some that were counted: when it is gone, each takes its place in the count.
 */
export async function* countServiceAccounts(
  accountId: string,
  { table }: Pick<MigrationContext, 'table'>,
): AsyncGenerator<ItemChanges> {
  const key = keys.serviceAccountCount(accountId);
  // Before the list: whoever makes or deletes one meanwhile changes it, and they are counted again.
  let count = await table.get(key);
  const pages = everyPage<Item>((after) =>
    table.listPage('lists', lists.serviceAccounts(accountId), { limit: limits.listPageMax, after }),
  );
  const uncounted: Item[] = [];
  let all = 0;
  for await (const page of pages) {
    all += page.length;
    uncounted.push(...page.filter((item) => item['is_counted'] === undefined));
  }
  // Each with its place in the count, so that what stops half-way has left both in step.
  for (const from of uncounted) {
    const one = numbered(count, key, Number(count?.['service_account_count'] ?? 0) + 1);
    yield [{ kind: 'update', from, to: { is_counted: true } }, ...one.changes];
    count = one.item;
  }
  const { changes } = numbered(count, key, all);
  if (changes.length > 0) yield changes;
}

function numbered(stored: Item | undefined, key: Key, service_account_count: number) {
  if (stored !== undefined) {
    const changes = attributesOf(stored, { service_account_count }).flat();
    return { item: { ...stored, service_account_count }, changes };
  }
  if (service_account_count === 0) return { item: undefined, changes: [] };
  const item = encode('service_account_count', { service_account_count }, { key });
  return { item, changes: [{ kind: 'put', item } as const] };
}
