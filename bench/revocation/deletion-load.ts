import { randomUUID } from 'node:crypto';
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { everyPage } from '../../lib/domain/list-pages.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { openTable } from '../../lib/lambda/table.ts';
import { lists, scopeOf } from '../../lib/store/keys.ts';
import { memberWrites } from '../../lib/store/memberships/membership-items.ts';
import { encodeRepository } from '../../lib/store/repositories/repositories.ts';
import type { Item, Table } from '../../lib/store/table.ts';
import type { LoadedWorld, RevocationScenario, RunningLoad } from './revocation-scenarios.ts';

const remains = 10_000;

export function deletionScenario(world: LoadedWorld): RevocationScenario {
  const load = new DeletionLoad(world);
  return { name: 'during a deletion', showsKinds: false, begin: () => load.begin() };
}

/**
 * Deletes a repository with 10,000 members. The stream consumer then removes their memberships and roles. Each removal
 * changes authorization data, so the consumer of revocations gets it too. After one repository is done, the load
 * deletes another.
 */
class DeletionLoad {
  readonly #world: LoadedWorld;
  readonly #table: Table;
  #scope: string | undefined;
  #deleted = 0;

  constructor(world: LoadedWorld) {
    this.#world = world;
    this.#table = openTable(world.client, world.tableName);
  }

  async begin(): Promise<RunningLoad> {
    if ((await this.#left()) === 0) await this.#delete();
    return {
      end: async () =>
        `${this.#deleted} repositories with ${remains} members were deleted; of the last one ${await this.#left()} were left when the last round was through.`,
    };
  }

  async #left(): Promise<number> {
    if (this.#scope === undefined) return 0;
    let left = 0;
    const partition = lists.members(this.#scope);
    for await (const page of everyPage((after) =>
      this.#table.listPage('lists', partition, { limit: 1000, after, attributes: ['membership_id'] }),
    ))
      left += page.length;
    return left;
  }

  async #delete(): Promise<void> {
    const { services } = this.#world.service;
    const uid = randomUUID();
    const account_id = 'deletion-load';
    const repository_id = `deleted-${uid.slice(0, 8)}`;
    const now = toTimestamp(services.clock());
    const repository = {
      account_id,
      repository_id,
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
    const members = Array.from({ length: remains }, (_, number) =>
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
    );
    await this.#putAll([encodeRepository(repository), ...members.flat()]);
    await services.store.repositoryEnds.delete(repository, {
      event_id: uid,
      time: now,
      kind: 'repository.deleted',
      account_id,
      actor: { account_id },
      subject: { repository_id },
      request_id: 'bench',
    });
    this.#scope = scopeOf({ account_id, repository_id });
    this.#deleted += 1;
  }

  async #putAll(items: readonly Item[]): Promise<void> {
    for (let start = 0; start < items.length; start += 25) {
      const requests = items.slice(start, start + 25).map((item) => ({
        PutRequest: { Item: marshall(item, { removeUndefinedValues: true }) },
      }));
      await this.#world.client.send(new BatchWriteItemCommand({ RequestItems: { [this.#world.tableName]: requests } }));
    }
  }
}
