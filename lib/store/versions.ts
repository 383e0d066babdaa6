import type { Versioned } from '../domain/versions.ts';
import type { Condition } from './expressions.ts';

/** The condition that nobody has changed, or deleted and created again, the record since it was read. */
export function unchanged({ version, uid }: Versioned & { uid?: string | undefined }): Condition {
  return { equals: uid === undefined ? { version } : { version, uid } };
}

/** The attributes that every change of a record sets. */
export function raised({ version }: Versioned): Versioned {
  return { version: version + 1 };
}
