import type { Schemas } from '../api/client.ts';
import type { Draft } from './connection-draft.ts';

export type Test = Schemas['DataConnectionTest'];

export type Verdict = 'untested' | 'failed' | 'partly' | 'passed';

/** What a test says of a connection: `partly` where nothing failed and writing, which it is for, was not asked. */
export function verdictOf(test: Test | undefined, isReadOnly: boolean): Verdict {
  if (test === undefined) return 'untested';
  if (test.checks.some(({ state }) => state === 'failed')) return 'failed';
  // Of a role that the data proxy alone assumes nobody can try more than the way to the bucket.
  const isWritingLeft = test.checks.some(({ check, code }) => check === 'write' && code === 'not_asked');
  return !isReadOnly && isWritingLeft ? 'partly' : 'passed';
}

const asked = ['endpoint', 'region', 'bucket', 'base_prefix'] as const;

/** What the test of `was` says of what is to be saved: nothing, where that is another place or has other credentials. */
export function verdictOfDraft(test: Test | undefined, was: Draft, yours: Draft): Verdict {
  const isSame = yours.authentication === 'kept' && asked.every((name) => was[name] === yours[name]);
  return verdictOf(isSame ? test : undefined, yours.read_only === 'yes');
}

/** Whether saving lets others place repositories than those who may already. */
export function opensTo(was: Draft['required_flag'], yours: Draft['required_flag']): boolean {
  return yours !== was && yours !== 'admin' && was !== '';
}
