import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { catalogueShards } from '../../../lib/store/repositories/repositories.ts';
import { inBatches } from '../../functions/users.ts';
import {
  auditEvent,
  creation,
  newAccount,
  newMembership,
  newRepository,
  now,
  openStore,
  placedOn,
} from './open-store.ts';

const shardOf = (id: string) => (createHash('sha256').update(`tides/${id}`).digest()[0] ?? 0) % catalogueShards;

/** Returns names whose shard satisfies the condition. */
function names(count: number, isWanted: (shard: number) => boolean): string[] {
  const found: string[] = [];
  for (let index = 0; found.length < count; index += 1) if (isWanted(shardOf(`r-${index}`))) found.push(`r-${index}`);
  return found;
}

test('the catalogue lists every repository when the page of one shard ends early', async () => {
  const { store } = await openStore();
  await store.accounts.createOrganization(
    newAccount('tides', { account_type: 'organization' }),
    newMembership('ada', 'tides', { state: 'member' }),
    creation('tides'),
  );
  const repository = (repository_id: string, millisecond: number, text: string) =>
    newRepository('tides', repository_id, {
      meta: { title: text, description: text, tags: text },
      published: new Date(Date.parse(now) + millisecond).toISOString(),
      data: placedOn('store', `${repository_id}/`),
    });
  const repositories = [
    ...names(100, (shard) => shard === 0).map((id, index) => repository(id, index, '🌊'.repeat(4096))),
    ...names(20, (shard) => shard !== 0).map((id, index) => repository(id, 1000 + index, '')),
  ];
  const used = { data_connection_id: 'store', in_use: true };
  await inBatches(repositories.length, 20, async (index) => {
    const item = repositories[index];
    if (item !== undefined) await store.repositories.create(item, used as never, undefined, auditEvent('tides'));
  });

  const positionOf = ({ published, repository_id }: RepositoryRecord) => `${published}#tides/${repository_id}`;
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.repositoryLists.catalogue({ limit: 1000, after });
    seen.push(...page.items.map(positionOf));
    if (page.next === undefined) break;
    after = page.next;
  }
  expect(seen).toEqual(repositories.map(positionOf).toSorted());

  const page = { limit: 12, after: undefined, newestFirst: true, roundTripsMax: 3 };
  const newest = await store.repositoryLists.catalogue(page);
  const idsOf = (listed: readonly RepositoryRecord[]) => listed.map((item) => item.repository_id);
  expect(idsOf(newest.items)).toEqual(idsOf(repositories.slice(-12).reverse()));
});
