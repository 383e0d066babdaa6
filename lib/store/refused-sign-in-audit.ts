import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import type { AuditEvent } from '../domain/changes/audit.ts';
import { limits } from '../domain/limits.ts';
import {
  type RefusedSignIn,
  refusalCause,
  refusedSignInSchema,
  shownSubject,
} from '../domain/service-accounts/refused-sign-ins.ts';
import { type ServiceAccountRecord, serviceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { dayMs, parseTimestamp } from '../domain/time.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { type Item, keys } from './keys.ts';
import { TableStore } from './table.ts';
import { put } from './writes.ts';

/** The refused sign-ins of one service account in one hour that the audit trail shows or counts. */
const tallySchema = z.object({
  distinct: z.array(z.string()),
  further: z.int(),
  further_since: z.string().nullable(),
  /** The time of the last refused sign-in that was counted without an event of its own. */
  counted_until: z.string(),
});
type Tally = z.infer<typeof tallySchema>;

const tallyStoredMs = 2 * dayMs;

/** Adds the refused sign-ins that the table's stream reports to the audit trails. */
export class RefusedSignInAudit extends TableStore {
  /**
   * Refused sign-ins that are stored in the counter item of their hour. The cache may drop entries, because the counter
   * item still has them.
   */
  readonly #audited = new LRUCache<string, true>({ max: 10_000 });
  /**
   * Adds refused sign-ins to the audit trails of the accounts that own the service accounts, if they exist. Each
   * different refusal gets one event per hour. After twenty events, one more event counts all further refusals.
   *
   * Drops refusals that this instance has already recorded, without a read. For the others, one round trip reads the
   * accounts, and a second one reads the counters of the existing accounts. The stream delivers the refusals of one
   * service account in order. A repeated delivery counts once. Returns the refusals that failed, with the reasons.
   */
  async audit(refusals: readonly RefusedSignIn[]): Promise<{ refused: RefusedSignIn; failure: unknown }[]> {
    try {
      return await this.#auditGroups(this.#unaudited(refusals));
    } catch (failure) {
      return refusals.map((refused) => ({ refused, failure }));
    }
  }

  async #auditGroups(groups: readonly RefusalsOfHour[]) {
    const accounts = await this.table.getMany(groups.map(({ service_account_id }) => keys.account(service_account_id)));
    const owned = groups.flatMap((group, at) => {
      const item = accounts[at];
      return item?.['uid'] === undefined ? [] : [{ group, item }];
    });
    const tallies = await this.table.getMany(
      owned.map(({ group }) => keys.refusedSignInTally(group.service_account_id, group.hour)),
    );
    const outcomes = owned.map(async ({ group, item }, at) => {
      try {
        await this.#count(group, item, tallies[at]);
        return [];
      } catch (failure) {
        return group.refusals.map((refused) => ({ refused, failure }));
      }
    });
    return (await Promise.all(outcomes)).flat();
  }

  #unaudited(refusals: readonly RefusedSignIn[]): RefusalsOfHour[] {
    const groups = new Map<string, RefusalsOfHour>();
    const seen = new Set<string>();
    for (const refused of refusals) {
      const { service_account_id, time } = refused;
      const hour = time.slice(0, 13);
      const cause = refusalCause(refused);
      // Skip a second record of a refusal in the same minute. The exchange writes only one per minute, so the second
      // record is a repeated delivery.
      const once = `${service_account_id} ${time.slice(0, 16)} ${cause}`;
      if (seen.has(once) || this.#audited.has(auditedName(service_account_id, hour, cause))) continue;
      seen.add(once);
      const name = `${service_account_id} ${hour}`;
      const group = groups.get(name) ?? { service_account_id, hour, refusals: [] };
      group.refusals.push(refused);
      groups.set(name, group);
    }
    return [...groups.values()];
  }

  async #count({ service_account_id, hour, refusals }: RefusalsOfHour, accountItem: Item, tallyItem: Item | undefined) {
    const serviceAccount = decode(serviceAccountRecord, accountItem);
    const before = decode(tallySchema, tallyItem) ?? emptyTally;
    const scope = `${service_account_id} ${hour}`;
    const events = new Map<string, AuditEvent>();
    let tally = before;
    for (const refused of refusals) {
      if (!isRefusalOf(refused, serviceAccount)) continue;
      const next = count(tally, refused);
      if (next === undefined) continue;
      tally = next;
      const event = eventOf(refused, tally, serviceAccount.owner_account_id, scope);
      events.set(event.event_id, event);
    }
    if (tally !== before) {
      const key = keys.refusedSignInTally(service_account_id, hour);
      const deleteAfter = parseTimestamp(`${hour}:00:00.000Z`) + tallyStoredMs;
      await this.table.transact([
        ...[...events.values()].map(auditWrite),
        put(encode('refused_sign_in_tally', tally, { key, deleteAfter })),
      ]);
    }
    for (const cause of tally.distinct) this.#audited.set(auditedName(service_account_id, hour, cause), true);
  }
}

interface RefusalsOfHour {
  service_account_id: string;
  hour: string;
  refusals: RefusedSignIn[];
}

const emptyTally: Tally = { distinct: [], further: 0, further_since: null, counted_until: '' };

/**
 * Returns the counter with this refusal added. Returns undefined if the counter already includes the refusal. A refusal
 * without an event of its own is identified by its time alone.
 */
function count(tally: Tally, refused: RefusedSignIn): Tally | undefined {
  const { time } = refused;
  const cause = refusalCause(refused);
  if (tally.distinct.includes(cause)) return undefined;
  if (tally.distinct.length < limits.refusedSignInsPerHourMax)
    return { ...tally, distinct: [...tally.distinct, cause] };
  if (tally.counted_until >= time) return undefined;
  return { ...tally, further: tally.further + 1, further_since: tally.further_since ?? time, counted_until: time };
}

/**
 * Creates the audit event of a refused sign-in. The event that counts further refusals keeps its ID and time, so each
 * write replaces it with a larger number.
 */
function eventOf(refused: RefusedSignIn, tally: Tally, ownerAccountId: string, scope: string): AuditEvent {
  const { service_account_id, time, request_id, issuer, subject } = refused;
  const event = {
    kind: 'sign_in.refused' as const,
    account_id: ownerAccountId,
    actor: { account_id: null },
    request_id,
  };
  return tally.further_since === null
    ? {
        ...event,
        event_id: `refused-${hash(`${scope} ${refusalCause(refused)}`)}`,
        time,
        subject: { service_account_id, issuer, subject: shownSubject(subject) },
      }
    : {
        ...event,
        event_id: `refused-${hash(scope)}`,
        time: tally.further_since,
        subject: { service_account_id, further_refusals: String(tally.further) },
      };
}

function auditedName(serviceAccountId: string, hour: string, cause: string): string {
  return `${serviceAccountId} ${hour} ${cause}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 24);
}

export class RefusedSignInStore extends TableStore {
  /**
   * Returns the last refused sign-in of each service account, in the order of the accounts. Ignores refusals from
   * before the account's creation.
   */
  async findLast(
    serviceAccounts: readonly Pick<ServiceAccountRecord, 'service_account_id' | 'created_at'>[],
  ): Promise<(RefusedSignIn | undefined)[]> {
    const items = await this.table.getMany(
      serviceAccounts.map(({ service_account_id }) => keys.refusedSignIn(service_account_id)),
    );
    const refusals = items.map((item) => decode(refusedSignInSchema, item));
    return refusals.map((refused, index) => {
      const serviceAccount = serviceAccounts[index];
      return serviceAccount !== undefined && refused !== undefined && isRefusalOf(refused, serviceAccount)
        ? refused
        : undefined;
    });
  }
}

/**
 * Returns true if the refusal happened after the service account was created. An earlier refusal concerned another
 * account with the same name.
 */
function isRefusalOf(refused: RefusedSignIn, { created_at }: Pick<ServiceAccountRecord, 'created_at'>): boolean {
  return created_at <= refused.time;
}
