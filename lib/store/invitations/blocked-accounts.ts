import { type BlockedAccount, blockedAccountSchema } from '../../domain/accounts/blocked-accounts.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { auditWrite } from '../audit.ts';
import { encode } from '../codec.ts';
import { inList, keys, lists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { put, remove, type Update, update } from '../writes.ts';

export class BlockedAccountStore extends TableStore {
  /** Lists the blocked accounts, oldest first. They always fit in one page. */
  async list(byId: string, page: ListPageRequest): Promise<ListPage<BlockedAccount>> {
    return this.table.list(blockedAccountSchema, 'lists', lists.blockedAccounts(byId), page);
  }

  async find(byId: string, blockedId: string): Promise<BlockedAccount | undefined> {
    return this.table.find(blockedAccountSchema, keys.blockedAccount(byId, blockedId));
  }

  /** Blocks an account. Throws `limit_reached` at the limit of blocked accounts. */
  async block(byId: string, blocked: BlockedAccount, event: AuditEvent): Promise<void> {
    const { account_id, blocked_at } = blocked;
    const { blockedAccountsMax } = limits;
    await this.table.transact([
      put(
        encode('blocked_account', blocked, {
          key: keys.blockedAccount(byId, account_id),
          list: inList(lists.blockedAccounts(byId), blocked_at, account_id),
        }),
        { exists: false },
        conflict('The account was blocked at the same time; list the blocked accounts'),
      ),
      {
        ...counted(byId, 1),
        condition: { absentOrLessThan: { blocked_count: blockedAccountsMax } },
        refusal: new ServiceError(
          'limit_reached',
          `A person blocks at most ${blockedAccountsMax} accounts; unblock one first`,
        ),
      },
      auditWrite(event),
    ]);
  }

  /** Unblocks an account. Throws `not_found` for an account that is not blocked. */
  async unblock(byId: string, blockedId: string, event: AuditEvent): Promise<void> {
    await this.table.transact([
      remove(
        keys.blockedAccount(byId, blockedId),
        { exists: true },
        new ServiceError('not_found', 'This account is not blocked; list the blocked accounts'),
      ),
      counted(byId, -1),
      auditWrite(event),
    ]);
  }
}

function counted(byId: string, gained: number): Update {
  const change = { set: { entity: 'blocked_count' }, add: { blocked_count: gained } };
  return update(keys.blockedCount(byId), change);
}
