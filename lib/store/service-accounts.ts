import type { AuditEvent } from '../domain/audit.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Grant, ServiceAccountRecord } from '../domain/service-accounts.ts';
import { auditWrite } from './audit.ts';
import { encode } from './codec.ts';
import { keys, listPosition, lists } from './keys.ts';
import type { Table, Write } from './table.ts';

export class ServiceAccountStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** A service account is an account of type `service` too, with no profile and no flags. */
  async create(serviceAccount: ServiceAccountRecord, event: AuditEvent): Promise<void> {
    const { service_account_id, owner_account_id, created_at } = serviceAccount;
    await this.#table.transact([
      {
        kind: 'put',
        item: encode(
          'service_account',
          {
            ...serviceAccount,
            account_id: service_account_id,
            account_type: 'service',
            identity_id: service_account_id,
            profile: {},
            flags: [],
            workflow_count: 0,
            grant_count: 0,
            key_revision: 0,
          },
          {
            key: keys.account(service_account_id),
            list: {
              partition: lists.serviceAccounts(owner_account_id),
              position: listPosition(created_at, service_account_id),
            },
          },
        ),
        condition: { exists: false },
        refusal: new ServiceError(
          'conflict',
          `The service account ${service_account_id} is there already; choose another name`,
        ),
      },
      auditWrite(event),
    ]);
  }

  /** True when the grant is new, false when it changed the access of one that was there. */
  async putGrant(serviceAccount: ServiceAccountRecord, grant: Grant, now: string, event: AuditEvent): Promise<boolean> {
    const key = keys.grant(serviceAccount.uid, grant.repository_id);
    const isThere = (await this.#table.get(key)) !== undefined;
    if (isThere) {
      await this.#table.transact([
        {
          kind: 'update',
          key,
          change: { set: { access: grant.access } },
          condition: { exists: true },
          refusal: new ServiceError('conflict', 'The grant was removed at the same time; send it again'),
        },
        auditWrite(event),
      ]);
      return false;
    }
    await this.#table.transact([
      {
        kind: 'put',
        item: encode('grant', grant, {
          key,
          list: { partition: lists.grants(serviceAccount.uid), position: listPosition(now, grant.repository_id) },
        }),
        condition: { exists: false },
        refusal: new ServiceError('conflict', 'The grant was made at the same time; send it again'),
      },
      countedChild(serviceAccount, 'grant_count', limits.grantsMax, 'grants; remove one first'),
      auditWrite(event),
    ]);
    return true;
  }
}

/** One more child of a service account that must be there, be the same as before, and have room. */
export function countedChild(
  serviceAccount: ServiceAccountRecord,
  counter: 'grant_count' | 'workflow_count',
  countMax: number,
  what: string,
): Write {
  return {
    kind: 'update',
    key: keys.account(serviceAccount.service_account_id),
    change: { add: { [counter]: 1 } },
    condition: { equals: { uid: serviceAccount.uid }, lessThan: { [counter]: countMax } },
    refusal: new ServiceError('conflict', `A service account has at most ${countMax} ${what}`),
  };
}
