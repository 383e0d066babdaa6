import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import { everyPage } from '../../domain/list-pages.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import { apiKeyRecord, grantRecord, membershipRecord, repositoryRecord, serviceAccountRecord } from '../records.ts';
import { idsOfRepositories } from '../repositories/repository-ids.ts';
import type { Item } from '../table.ts';
import type { ItemChanges, Migration, MigrationContext } from './migration.ts';

const roleItem = z.object({ entity: z.literal('role'), sk: z.string().startsWith('ROLE#') });

/**
 * Every repository gets an internal id, and what was given in it carries that: roles and memberships, keys, grants. Until
 * this is finished no repository can be deleted, so what has no id is of the only one that ever had the name.
 */
export const internalIds: Migration = {
  name: idsOfRepositories.name,
  entities: ['repository', 'role', 'membership', 'api_key', 'service_account'],
  async *changes(item, context) {
    switch (item['entity']) {
      case 'repository':
        return yield* identify(item, context);
      case 'service_account':
        return yield* markGrants(item, context);
      default:
        if (item['repository_uid'] === undefined) yield* mark(item, scopeOfItem(item), context);
    }
  },
};

async function* identify(repository: Item, { random }: MigrationContext): AsyncGenerator<ItemChanges> {
  if (decode(repositoryRecord, repository).uid !== undefined) return;
  yield [{ kind: 'update', from: repository, to: { uid: random.uuid() } }];
}

/** The repository that an item hangs on; undefined for one that hangs on an account alone. */
function scopeOfItem(item: Item): { account_id: string; repository_id: string } | undefined {
  switch (item['entity']) {
    case 'role': {
      const [account_id = '', repository_id] = roleItem.parse(item).sk.slice('ROLE#'.length).split('/');
      return repository_id === undefined ? undefined : { account_id, repository_id };
    }
    case 'membership': {
      const { membership_account_id: account_id, repository_id } = decode(membershipRecord, item);
      return repository_id === undefined ? undefined : { account_id, repository_id };
    }
    default: {
      const { account_id, repository_id } = decode(apiKeyRecord, item);
      return repository_id === undefined ? undefined : { account_id, repository_id };
    }
  }
}

/** Gives the item the id of its repository, which gets one first if it has none. */
async function* mark(
  item: Item,
  scope: { account_id: string; repository_id: string } | undefined,
  context: MigrationContext,
): AsyncGenerator<ItemChanges> {
  if (scope === undefined) return;
  const key = keys.repository(scope.account_id, scope.repository_id);
  const repository = await context.table.get(key);
  // Of a repository that is not there nothing is left to count.
  if (repository === undefined) return;
  yield* identify(repository, context);
  const uid = (repository['uid'] ?? (await context.table.get(key))?.['uid']) as string | undefined;
  if (uid !== undefined) yield [{ kind: 'update', from: item, to: { repository_uid: uid } }];
}

/** A grant names its repository alone: whose that is, the service account tells. */
async function* markGrants(serviceAccount: Item, context: MigrationContext): AsyncGenerator<ItemChanges> {
  const { uid, owner_account_id } = decode(serviceAccountRecord, serviceAccount);
  const { pk, sk } = keys.grant(uid, '');
  const range = { from: sk, to: `${sk}~` };
  const pages = everyPage((after) => context.table.partitionPage(pk, range, { limit: limits.listPageMax, after }));
  for await (const page of pages) {
    for (const grant of page) {
      const { repository_id, repository_uid } = decode(grantRecord, grant);
      if (repository_uid === undefined) yield* mark(grant, { account_id: owner_account_id, repository_id }, context);
    }
  }
}
