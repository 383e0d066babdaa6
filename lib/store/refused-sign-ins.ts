import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { AuditEvent } from '../domain/changes/audit.ts';
import { limits } from '../domain/limits.ts';
import { type RefusedSignIn, refusedSignInSchema, shownSubject } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { parseTimestamp } from '../domain/time.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { keys } from './keys.ts';
import { serviceAccountRecord } from './records.ts';
import type { Table } from './table.ts';

/** What came of the refusals in one hour for one service account. */
const tallySchema = z.object({
  distinct: z.array(z.string()),
  further: z.int(),
  further_since: z.string().nullable(),
  /** The time of the last of the further ones. */
  counted_until: z.string(),
});
type Tally = z.infer<typeof tallySchema>;

const tallyKeptMs = 2 * 86_400_000;

export class RefusedSignInStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The last refusal of each, in their order. What came before a service account was there is none of its. */
  async findLast(
    serviceAccounts: readonly Pick<ServiceAccountRecord, 'service_account_id' | 'created_at'>[],
  ): Promise<(RefusedSignIn | undefined)[]> {
    const items = await this.#table.getMany(
      serviceAccounts.map(({ service_account_id }) => keys.refusedSignIn(service_account_id)),
    );
    const refusals = items.map((item) => decode(refusedSignInSchema, item));
    return refusals.map((refused, index) => (isOf(serviceAccounts[index], refused) ? refused : undefined));
  }

  /**
   * Adds a refusal to the audit trail of the account that owns the service account, if that is there: each distinct one
   * once an hour, and past the first twenty one event that counts them. Refusals of one service account come here one
   * after the other, as the table's stream delivers them; one that comes again is counted once.
   */
  async audit(refused: RefusedSignIn): Promise<void> {
    const { service_account_id, time } = refused;
    const accountItem = await this.#table.get(keys.account(service_account_id));
    const serviceAccount = accountItem?.['uid'] === undefined ? undefined : decode(serviceAccountRecord, accountItem);
    if (serviceAccount === undefined || !isOf(serviceAccount, refused)) return;
    const hour = time.slice(0, 13);
    const key = keys.refusedSignInTally(service_account_id, hour);
    const tally = decode(tallySchema, await this.#table.get(key)) ?? emptyTally;
    const digest = digestOf(refused);
    if (tally.distinct.includes(digest)) return;
    const next = count(tally, digest, time);
    if (next === undefined) return;
    await this.#table.transact([
      auditWrite(eventOf(refused, next, serviceAccount.owner_account_id, `${service_account_id} ${hour}`)),
      {
        kind: 'put',
        item: encode('refused_sign_in_tally', next, { key, deleteAfter: parseTimestamp(time) + tallyKeptMs }),
      },
    ]);
  }
}

const emptyTally: Tally = { distinct: [], further: 0, further_since: null, counted_until: '' };

/** Undefined for one of the further ones that was counted: those are known by their time alone when they come again. */
function count(tally: Tally, digest: string, time: string): Tally | undefined {
  if (tally.distinct.length < limits.refusedSignInsPerHourMax)
    return { ...tally, distinct: [...tally.distinct, digest] };
  if (tally.counted_until >= time) return undefined;
  return { ...tally, further: tally.further + 1, further_since: tally.further_since ?? time, counted_until: time };
}

/** The event that counts keeps its time and its ID, so that it is one event whose number grows. */
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
        event_id: `refused-${hash(`${scope} ${digestOf(refused)}`)}`,
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

function isOf(
  serviceAccount: Pick<ServiceAccountRecord, 'created_at'> | undefined,
  refused: RefusedSignIn | undefined,
): boolean {
  return serviceAccount !== undefined && refused !== undefined && serviceAccount.created_at <= refused.time;
}

/** Sign-ins that are refused for the same token contents are one. */
function digestOf({ time: _time, request_id: _request, ...rest }: RefusedSignIn): string {
  return hash(JSON.stringify(Object.entries(rest).sort()));
}

function hash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 24);
}
