import type { AuditEvent } from '../domain/changes/audit.ts';
import { limits } from '../domain/limits.ts';
import { auditWrite } from './audit.ts';
import { keys } from './keys.ts';
import { TableStore } from './table.ts';
import { countInWindow, windowOf } from './writes.ts';

/** Counts and audits the credentials issued to users. The credentials themselves are not stored. */
export class DataCredentialStore extends TableStore {
  /** Counts and audits one issue. The trail has one event per minute and subject. Throws `throttled` at the limit. */
  async recordIssued(event: AuditEvent): Promise<void> {
    const minute = windowOf(event.time, 'minute');
    await this.table.transact([
      countInWindow({
        key: keys.dataCredentialsIssued(event.account_id, minute),
        entity: 'data_credentials_tally',
        counter: 'issued',
        max: limits.dataCredentialsPerMinuteMax,
        window: 'minute',
        time: event.time,
        sentence: () =>
          `At most ${limits.dataCredentialsPerMinuteMax} credentials are issued to one user in a minute; use the existing ones until they expire`,
      }),
      auditWrite({ ...event, time: `${minute}:00.000Z`, event_id: Object.values(event.subject).join('-') }),
    ]);
  }
}
