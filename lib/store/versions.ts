import { nextVersion, type Versioned, versionOf, versionOfOlder } from '../domain/versions.ts';
import type { Condition } from './expressions.ts';

/** By its name: the migration itself has no place in what answers requests. */
export const versionsOfRecords = { name: '0009-versions' } as const;

/**
 * The condition of every change that follows from a reading: nobody has changed the record since. An older release raises
 * no version, so the fields that it may have changed are compared as well, each as it was read.
 */
export function unchanged(read: Versioned, fields: Readonly<Record<string, unknown>>): Condition {
  const version = versionOf(read);
  return {
    ...(version === versionOfOlder ? { absentOrEquals: { version } } : { equals: { version } }),
    equalsOrAbsent: fields,
  };
}

/** Set by every change of what a GET shows. */
export function raised(read: Versioned): Required<Versioned> {
  return { version: nextVersion(read) };
}
