import { randomUUID } from 'node:crypto';
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { everyPage } from '../../lib/domain/list-pages.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { openTable } from '../../lib/lambda/table.ts';
import type { Item } from '../../lib/store/keys.ts';
import { lists, scopeOf } from '../../lib/store/keys.ts';
import { memberWrites } from '../../lib/store/memberships/memberships.ts';
import { encodeRepository } from '../../lib/store/repositories/repositories.ts';
import type { RevocationScenario, ScenarioFixture } from './revocation.ts';

const memberCount = 10_000;

/**
 * Deletes a repository with 10,000 members. The stream consumer then removes their memberships and roles. Each removal
 * changes authorization data, so it is also delivered to the consumer of revocations. When all members of one
 * repository are removed, the load deletes the next repository.
 */
export function deletionScenario({ service, client, tableName }: ScenarioFixture): RevocationScenario {
  const { services } = service;
  const table = openTable(client, tableName);
  let scope: string | undefined;
  let deleted = 0;

  async function membersLeft(): Promise<number> {
    if (scope === undefined) return 0;
    let left = 0;
    const partition = lists.members(scope);
    for await (const page of everyPage((after) =>
      table.listPage('lists', partition, { limit: 1000, after, attributes: ['membership_id'] }),
    ))
      left += page.length;
    return left;
  }

  async function deleteAnother(): Promise<void> {
    const now = toTimestamp(services.clock());
    const repository = repositoryToDelete(now);
    const { account_id, repository_id, uid } = repository;
    await putAll(client, tableName, [encodeRepository(repository), ...membersOf(repository, now)]);
    await services.store.repositoryEnds.delete(repository, {
      event_id: uid,
      time: now,
      kind: 'repository.deleted',
      account_id,
      actor: { account_id },
      subject: { repository_id },
      request_id: 'bench',
    });
    scope = scopeOf({ account_id, repository_id });
    deleted += 1;
  }

  return {
    name: 'during a deletion',
    showsKinds: false,
    begin: async () => {
      if ((await membersLeft()) === 0) await deleteAnother();
      return async () =>
        `${deleted} deleted repositories of ${memberCount} members, ${await membersLeft()} of them left after the last round.`;
    },
  };
}

function repositoryToDelete(now: string) {
  const uid = randomUUID();
  return {
    account_id: 'deletion-load',
    repository_id: `deleted-${uid.slice(0, 8)}`,
    uid,
    state: 'unlisted' as const,
    data_mode: 'private' as const,
    published: now,
    updated: now,
    version: 1,
    disabled: true,
    disabled_by: 'owner' as const,
    featured: 0,
    meta: { title: 'Deleted', description: '', tags: '' },
    data: { primary_mirror: '', mirrors: {} },
  };
}

function membersOf({ account_id, repository_id, uid }: ReturnType<typeof repositoryToDelete>, now: string): Item[] {
  return Array.from({ length: memberCount }, (_, number) =>
    memberWrites({
      membership_id: randomUUID(),
      account_id: `member-${number}`,
      membership_account_id: account_id,
      repository_id,
      repository_uid: uid,
      role: 'read_data',
      state: 'member',
      state_changed: now,
      created_at: now,
    }).flatMap((write) => (write.kind === 'put' ? [write.item] : [])),
  ).flat();
}

async function putAll(client: DynamoDBClient, tableName: string, items: readonly Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += 25) {
    const requests = items.slice(start, start + 25).map((item) => ({
      PutRequest: { Item: marshall(item, { removeUndefinedValues: true }) },
    }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
}
