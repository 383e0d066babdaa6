import * as z from 'zod';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { RepositoryLimit } from '../../domain/data/repositories.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { auditWrite } from '../audit.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import { TableStore } from '../table.ts';
import { type Update, update, type Write } from '../writes.ts';

/** The number of an account's repositories, and a limit that an administrator set. */
const countRecord = z.object({ repository_count: z.int().default(0), repositories_max: z.int().optional() });

/** The `entity` of these items. */
const repositoryCountEntity = 'repository_count';

export class RepositoryCountStore extends TableStore {
  async read(accountId: string): Promise<RepositoryLimit> {
    const { repository_count, repositories_max } = await this.#find(accountId);
    return { repositories_max: repositories_max ?? limits.repositoriesMax, repositories: repository_count };
  }

  async setLimit(accountId: string, repositories_max: number, event: AuditEvent): Promise<RepositoryLimit> {
    await this.table.transact([
      update(keys.repositoryCount(accountId), { set: { entity: repositoryCountEntity, repositories_max } }),
      auditWrite(event),
    ]);
    return this.read(accountId);
  }

  /** Returns the write for a transaction that adds a repository to the account. Takes one round trip. */
  async incrementWrite(accountId: string): Promise<Write> {
    const { repositories_max } = await this.#find(accountId);
    const countMax = repositories_max ?? limits.repositoriesMax;
    return {
      ...counted(accountId, 1),
      condition: { equals: { repositories_max }, absentOrLessThan: { repository_count: countMax } },
      refusal: new ServiceError(
        'limit_reached',
        `${accountId} has at most ${countMax} repositories; delete one first, or ask an administrator for a higher limit`,
      ),
    };
  }

  async #find(accountId: string) {
    return decode(countRecord, (await this.table.get(keys.repositoryCount(accountId))) ?? {});
  }
}

/** Returns the write for a transaction that removes a repository from the account. */
export function decrementWrite(accountId: string): Write {
  return counted(accountId, -1);
}

function counted(accountId: string, gained: number): Update {
  const change = { set: { entity: repositoryCountEntity }, add: { repository_count: gained } };
  return update(keys.repositoryCount(accountId), change);
}
