import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { catalogueShards } from '../../../lib/store/repositories/public-index.ts';
import { inBatches } from '../../functions/people.ts';
import { auditEvent, creation, newAccount, newMembership, openStore } from './open-store.ts';

const shardOf = (id: string) => (createHash('sha256').update(`tides/${id}`).digest()[0] ?? 0) % catalogueShards;

/** Returns names whose shard satisfies the condition. */
function names(count: number, isWanted: (shard: number) => boolean): string[] {
  const found: string[] = [];
  for (let index = 0; found.length < count; index += 1) if (isWanted(shardOf(`r-${index}`))) found.push(`r-${index}`);
  return found;
}

test('a shard whose page ends early, being wide, loses nothing to the shards that go on', async () => {
  const { store } = await openStore();
  await store.accounts.createOrganization(
    newAccount('tides', { account_type: 'organization' }),
    newMembership('ada', 'tides', { state: 'member' }),
    creation('tides'),
  );
  const repository = (repository_id: string, millisecond: number, text: string): RepositoryRecord => ({
    account_id: 'tides',
    repository_id,
    state: 'listed',
    data_mode: 'open',
    featured: 0,
    meta: { title: text, description: text, tags: text },
    data: { primary_mirror: 'store', mirrors: { store: { data_connection_id: 'store', prefix: `${repository_id}/` } } },
    published: new Date(Date.parse('2030-01-01T00:00:00.000Z') + millisecond).toISOString(),
    updated: '2030-01-01T00:00:00.000Z',
    uid: repository_id,
    version: 1,
    disabled: false,
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

  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.repositoryLists.catalogue({ limit: 1000, after });
    seen.push(...page.items.map((item) => `${item.published}#tides/${item.repository_id}`));
    if (page.next === undefined) break;
    after = page.next;
  }
  expect(seen).toEqual(repositories.map((item) => `${item.published}#tides/${item.repository_id}`).toSorted());

  const newest = await store.repositoryLists.catalogue({
    limit: 12,
    after: undefined,
    newestFirst: true,
    roundTripsMax: 3,
  });
  expect(newest.items.map((item) => item.repository_id)).toEqual(
    repositories
      .slice(-12)
      .map((item) => item.repository_id)
      .reverse(),
  );
});
