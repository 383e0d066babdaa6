import type { AuditEvent } from '../domain/changes/audit.ts';
import { limits } from '../domain/limits.ts';
import { auditWrite } from './audit.ts';
import { keys } from './keys.ts';
import { TableStore } from './table.ts';
import { countInWindow, windowOf } from './writes.ts';

/**
 * Counts the temporary credentials that users get, and records them in the audit trail. The credentials are not stored.
 */
export class DataCredentialStore extends TableStore {
  /**
   * Counts one issue of temporary credentials, and records it in the audit trail. Credentials of the same subject in
   * the same minute share one event. Throws `throttled` at the limit.
   */
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
