import type { Schemas } from '../api/client.ts';
import type { Draft } from './connection-draft.ts';

export type Test = Schemas['DataConnectionTest'];

export type Verdict = 'untested' | 'failed' | 'partly' | 'passed';

/** Summarizes a test. `partly` means that no check failed, but writing was not tested on a writable connection. */
export function verdictOf(test: Test | undefined, isReadOnly: boolean): Verdict {
  if (test === undefined) return 'untested';
  if (test.checks.some(({ state }) => state === 'failed')) return 'failed';
  // If only the data proxy can assume the role, the test can only check that the bucket is reachable.
  const isWritingLeft = test.checks.some(({ check, code }) => check === 'write' && code === 'not_asked');
  return !isReadOnly && isWritingLeft ? 'partly' : 'passed';
}

const asked = ['endpoint', 'region', 'bucket', 'base_prefix'] as const;

/**
 * Returns the result for the draft of a test of `was`. It does not apply if the location or the credentials changed.
 */
export function verdictOfDraft(test: Test | undefined, was: Draft, yours: Draft): Verdict {
  const isSame = yours.authentication === 'unchanged' && asked.every((name) => was[name] === yours[name]);
  return verdictOf(isSame ? test : undefined, yours.read_only === 'yes');
}

/** Returns true when saving the draft allows more accounts to create repositories on the connection. */
export function opensTo(was: Draft['required_flag'], yours: Draft['required_flag']): boolean {
  return yours !== was && yours !== 'admin' && was !== '';
}
