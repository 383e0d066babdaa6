import type { Versioned } from '../domain/versions.ts';
import type { Condition } from './expressions.ts';

/** Returns the condition that the record was not changed, and not deleted and created again, since it was read. */
export function unchanged({ version, uid }: Versioned & { uid?: string | undefined }): Condition {
  return { equals: uid === undefined ? { version } : { version, uid } };
}

/** Returns the attributes that every change of a record sets. */
export function raised({ version }: Versioned): Versioned {
  return { version: version + 1 };
}
