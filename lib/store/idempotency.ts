import * as z from 'zod';
import type {
  IdempotencyState,
  IdempotencyStore,
  IdempotentRequest,
  StoredAnswer,
} from '../domain/accounts/idempotency.ts';
import { limits } from '../domain/limits.ts';
import { keys } from './keys.ts';
import { TableStore } from './table.ts';

const record = z.object({
  fingerprint: z.string(),
  held_until: z.number(),
  answer: z.object({ status: z.number(), body: z.unknown(), location: z.string().optional() }).optional(),
});

/** Stores which idempotency keys are in use. Another request can use a key after the time `held_until`. */
export class TableIdempotencyStore extends TableStore implements IdempotencyStore {
  async begin({ scope, fingerprint, request_id }: IdempotentRequest, now: number): Promise<IdempotencyState> {
    const key = keys.idempotency(scope);
    const held_until = now + limits.idempotencyRunningSeconds * 1000;
    const set = { entity: 'idempotency', fingerprint, request_id, held_until, ttl: Math.ceil(held_until / 1000) };
    const taken = await this.table.update(key, { set, remove: ['answer'] }, { absentOrLessThan: { held_until: now } });
    if (taken !== undefined) return { kind: 'first' };
    const held = await this.#find(scope, now);
    if (held === undefined) return { kind: 'running' };
    if (held.fingerprint !== fingerprint) return { kind: 'mismatch' };
    return held.answer === undefined ? { kind: 'running' } : { kind: 'answered', answer: held.answer };
  }

  async findAnswer({ scope, fingerprint }: IdempotentRequest, now: number): Promise<StoredAnswer | undefined> {
    const held = await this.#find(scope, now);
    return held?.fingerprint === fingerprint ? held.answer : undefined;
  }

  async finish({ scope, request_id }: IdempotentRequest, answer: StoredAnswer, now: number): Promise<void> {
    const held_until = now + limits.idempotencyStoredSeconds * 1000;
    const set = { answer, held_until, ttl: Math.ceil(held_until / 1000) };
    await this.table.update(keys.idempotency(scope), { set }, { equals: { request_id } });
  }

  async abandon({ scope, request_id }: IdempotentRequest): Promise<void> {
    await this.table.update(keys.idempotency(scope), { set: { held_until: 0 } }, { equals: { request_id } });
  }

  async #find(
    scope: string,
    now: number,
  ): Promise<{ fingerprint: string; answer: StoredAnswer | undefined } | undefined> {
    const held = await this.table.find(record, keys.idempotency(scope));
    if (held === undefined || held.held_until <= now) return undefined;
    const { fingerprint, answer } = held;
    return { fingerprint, answer: answer && { status: answer.status, body: answer.body, location: answer.location } };
  }
}
