import { type AuditEvent, type AuditKind, auditEventSchema } from '../domain/changes/audit.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { dayMs, parseTimestamp } from '../domain/time.ts';
import { decode, encode } from './codec.ts';
import { inList, keys, lists, sublists } from './keys.ts';
import { TableStore } from './table.ts';
import { type Put, put } from './writes.ts';

/**
 * Returns the write that adds an audit event to the transaction of a change. A change by an administrator also appears
 * in the list of administrative actions.
 */
export function auditWrite(event: AuditEvent): Put {
  return put(
    encode('audit_event', event, {
      key: keys.auditEvent(event.account_id, event.time, event.event_id),
      ...(isAdministrative(event) && {
        list: inList(lists.administrativeActions(), event.time, event.event_id),
        sublist: inList(sublists.actionsOfAdministrator(event.actor.account_id ?? ''), event.time, event.event_id),
      }),
      deleteAfter: parseTimestamp(event.time) + limits.auditRetentionDays * dayMs,
    }),
  );
}

function isAdministrative({ actor }: AuditEvent): boolean {
  return actor.acting_as === 'platform_admin';
}

export class AuditEventStore extends TableStore {
  /**
   * Writes an audit event that does not belong to a request's transaction. An event with the same ID stays unchanged.
   */
  async record(event: AuditEvent): Promise<void> {
    await this.table.transactIfHolding([{ ...auditWrite(event), condition: { exists: false } }]);
  }

  /**
   * Lists audit events, newest first. With a filter, a page ends after 10,000 examined events. A page can then be empty
   * although later pages contain events.
   */
  async list(
    accountId: string,
    { limit, after }: ListPageRequest,
    { days = {}, ...filter }: AuditFilter = {},
  ): Promise<ListPage<AuditEvent>> {
    const { pk } = keys.auditEvent(accountId, '', '');
    const wanted = Object.values(filter).some((value) => value !== undefined) ? lookedAtMax : limit;
    const items: AuditEvent[] = [];
    let next = after;
    for (let lookedAt = 0; lookedAt < wanted; lookedAt += limits.listPageMax) {
      const page = { limit: Math.min(wanted, limits.listPageMax), after: next, newestFirst: true };
      const found = await this.table.partitionPage(pk, { from: days.from ?? '0', to: `${days.to ?? '9'}\uffff` }, page);
      for (const item of found.items) {
        const event = decode(auditEventSchema, item);
        if (isWanted(event, filter)) items.push(event);
        if (items.length === limit && item !== found.items.at(-1)) return { items, next: String(item['sk']) };
      }
      next = found.next;
      if (next === undefined || items.length === limit) break;
    }
    return { items, next };
  }
}

export interface AuditFilter {
  service_account_id?: string | undefined;
  actor_account_id?: string | undefined;
  kind?: AuditKind | undefined;
  /** True to read only the changes that an administrator made by the flag `admin`. */
  isAdministrative?: true;
  /** The first and the last day in UTC, which limit the events that are read. */
  days?: { from?: string | undefined; to?: string | undefined };
}

const lookedAtMax = 10_000;

function isWanted(
  event: AuditEvent,
  { service_account_id, actor_account_id, kind, isAdministrative: isByAdministrator }: Omit<AuditFilter, 'days'>,
): boolean {
  return (
    (isByAdministrator === undefined || isAdministrative(event)) &&
    (actor_account_id === undefined || event.actor.account_id === actor_account_id) &&
    (kind === undefined || event.kind === kind) &&
    (service_account_id === undefined || event.subject['service_account_id'] === service_account_id)
  );
}
