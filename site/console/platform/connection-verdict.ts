import type { Schemas } from '../api/client.ts';

export type Test = Schemas['DataConnectionTest'];

/** What a test says of a connection: `partly` where nothing failed and writing, which it is for, was not asked. */
export function verdictOf(test: Test | undefined, isReadOnly: boolean): 'untested' | 'failed' | 'partly' | 'passed' {
  if (test === undefined) return 'untested';
  if (test.checks.some(({ state }) => state === 'failed')) return 'failed';
  // Of a role that the data proxy alone assumes nobody can try more than the way to the bucket.
  const isWritingLeft = test.checks.some(({ check, code }) => check === 'write' && code === 'not_asked');
  return !isReadOnly && isWritingLeft ? 'partly' : 'passed';
}
