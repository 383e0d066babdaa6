import { checkCaching } from './caching.ts';
import { type CheckResult, Checks, type Time } from './checks.ts';
import type { Deployment } from './deployment.ts';
import { makeFixture } from './fixture.ts';
import { checkManagement } from './management.ts';
import { checkObjects } from './objects.ts';
import { checkOpenness } from './openness.ts';
import { checkReach } from './reach.ts';
import { checkRevocations } from './revocations.ts';
import { checkSignIns } from './sign-ins.ts';
import { checkThrottles } from './throttles.ts';

/**
 * Uses a deployed service as its users would, and reports each step. Removes all resources that it created, even after
 * a failure. Only two repositories without objects stay.
 */
export async function verify(
  deployment: Deployment,
  time: Time,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<CheckResult[]> {
  const checks = new Checks(time.now, onResult);
  const undoings: { name: string; undo: () => Promise<string> }[] = [];
  if (!(await checkReach(checks, deployment))) return checks.results;
  try {
    const fixture = await makeFixture(deployment, (name, undo) => undoings.push({ name, undo }));
    await checkManagement(checks, deployment);
    await checkSignIns(checks, fixture);
    await checkObjects(checks, fixture);
    await checkOpenness(checks, fixture);
    await checkCaching(checks, fixture, time);
    await checkRevocations(checks, fixture, time);
  } catch (error) {
    // All later checks need these resources, so stop if their creation failed.
    await checks.group('setup')('the account, the repositories, and the keys are ready', () => Promise.reject(error));
  }
  for (const { name, undo } of undoings.reverse()) await checks.group('clean-up')(name, undo);
  // Run this check last, because the service may throttle the requests after it.
  await checkThrottles(checks, deployment);
  return checks.results;
}
