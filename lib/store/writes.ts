import type { ServiceError } from '../domain/errors.ts';
import type { Change, Condition } from './expressions.ts';
import type { Item, Key } from './keys.ts';

/** One part of a transaction. The caller gets `refusal` when the condition does not hold. */
export type Write = Put | Update | Remove | Check;

interface Conditional {
  condition?: Condition | undefined;
  refusal?: ServiceError | undefined;
}
export type Put = Conditional & { kind: 'put'; item: Item };
export type Update = Conditional & { kind: 'update'; key: Key; change: Change };
type Remove = Conditional & { kind: 'delete'; key: Key };
type Check = { kind: 'check'; key: Key; condition: Condition; refusal: ServiceError };

export function put(item: Item, condition?: Condition, refusal?: ServiceError): Put {
  return { kind: 'put', item, condition, refusal };
}

export function update(key: Key, change: Change, condition?: Condition, refusal?: ServiceError): Update {
  return { kind: 'update', key, change, condition, refusal };
}

export function remove(key: Key, condition?: Condition, refusal?: ServiceError): Remove {
  return { kind: 'delete', key, condition, refusal };
}

export function check(key: Key, condition: Condition, refusal: ServiceError): Check {
  return { kind: 'check', key, condition, refusal };
}
