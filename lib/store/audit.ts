import { type AuditEvent, auditEventSchema } from '../domain/audit.ts';
import { limits } from '../domain/limits.ts';
import { parseTimestamp } from '../domain/time.ts';
import { decode, encode } from './codec.ts';
import { keys } from './keys.ts';
import type { Page, PageRequest, Table, Write } from './table.ts';

/** The part of a change's transaction that tells of it. */
export function auditWrite(event: AuditEvent): Write {
  return {
    kind: 'put',
    item: encode('audit_event', event, {
      key: keys.auditEvent(event.account_id, event.time, event.event_id),
      deleteAfter: parseTimestamp(event.time) + limits.auditRetentionDays * 86_400_000,
    }),
  };
}

export class AuditEventStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** For events that no transaction of a request wrote; writing one again changes nothing. */
  async record(event: AuditEvent): Promise<void> {
    await this.#table.transact([auditWrite(event)]);
  }

  /** Newest first. */
  async list(accountId: string, page: PageRequest): Promise<Page<AuditEvent>> {
    const { pk } = keys.auditEvent(accountId, '', '');
    const found = await this.#table.partitionPage(pk, { from: '0', to: '9\uffff' }, { ...page, newestFirst: true });
    return { items: found.items.map((item) => decode(auditEventSchema, item)), next: found.next };
  }
}
