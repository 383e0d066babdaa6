import { type Checks, expect, expectEqual, secondsUntil, type Time } from './checks.ts';
import { signIn } from './deployment.ts';
import { type Fixture, repositoryClient } from './fixture.ts';

/**
 * Measures how long revoked access continues, and compares the time with the limits of 60 and 300 seconds. The
 * resources of the run can no longer be used afterwards.
 */
export async function checkRevocations(checks: Checks, fixture: Fixture, time: Time): Promise<void> {
  const { deployment, serviceAccountId, key, user, anyone } = fixture;
  const check = checks.group('revocation');
  const credentials = await signIn(deployment, key, serviceAccountId);
  const { put, read } = repositoryClient(fixture, credentials, fixture.privateRepositoryId);
  const write = () => put('revoked', 'still allowed');

  await check('a publicly revoked key no longer signs in', async () => {
    await write();
    const { status } = await anyone('POST', '/service-account-keys/revocations', { key });
    expectEqual(status, 204, 'the status of the revocation');
    return delayUntilRefused(() => signIn(deployment, key, serviceAccountId), 60, time);
  });
  await check('its credentials work until they expire', async () => {
    await write();
    return 'as they should';
  });
  await check('a disabled service account can no longer write', async () => {
    const { status } = await user('POST', `/service-accounts/${serviceAccountId}/disable`);
    expect(status === 200, `disabling it answered ${status}`);
    return delayUntilRefused(write, 60, time);
  });
  await check('a disabled service account can no longer read restricted data', () =>
    delayUntilRefused(() => read('revoked'), 300, time),
  );
}

/**
 * Repeats the request until the service refuses it, and returns how long that took. Gives up some seconds after
 * `boundSeconds`, because each request itself takes time.
 */
async function delayUntilRefused(attempt: () => Promise<unknown>, boundSeconds: number, time: Time) {
  const isRefused = () =>
    attempt().then(
      () => false,
      (error: { Code?: string }) => {
        if (error.Code === 'AccessDenied' || error.Code === 'InvalidIdentityToken') return true;
        throw error;
      },
    );
  const seconds = await secondsUntil(isRefused, boundSeconds + 10, time, 'still allowed');
  return `refused after ${seconds.toFixed(1)} s (bound: ${boundSeconds} s)`;
}
