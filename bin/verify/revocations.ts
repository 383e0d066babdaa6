import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { type Checks, expect } from './checks.ts';
import { s3Client, signIn } from './deployment.ts';
import type { Fixture } from './fixture.ts';

export interface Time {
  now(): number;
  wait(seconds: number): Promise<void>;
}

/** Measures how long revoked access continues, against the bounds of 60 and 300 seconds. Ends the fixture. */
export async function checkRevocations(checks: Checks, fixture: Fixture, time: Time): Promise<void> {
  const { deployment, serviceAccountId, key, person, anyone } = fixture;
  const place = { Bucket: deployment.accountId, Key: `${fixture.privateRepositoryId}/${fixture.folder}revoked` };
  const credentials = await signIn(deployment, key, serviceAccountId);
  const client = s3Client(deployment, credentials);
  const write = () => client.send(new PutObjectCommand({ ...place, Body: 'still allowed' }));
  const read = () => client.send(new GetObjectCommand(place)).then(({ Body }) => Body?.transformToString());
  const check = (name: string, run: () => Promise<string>) => checks.check('revocation', name, run);

  await check('a key that anyone revoked no longer signs in', async () => {
    await write();
    const { status } = await anyone('POST', '/service-account-keys/revocations', { key });
    expect(status === 204, `the revocation answered ${status}`);
    return delayUntilRefused(() => signIn(deployment, key, serviceAccountId), 60, time);
  });
  await check('its credentials go on until they expire', async () => {
    await write();
    return 'as they should';
  });
  await check('a disabled service account writes no more', async () => {
    const { status } = await person('POST', `/service-accounts/${serviceAccountId}/disable`);
    expect(status === 200, `disabling it answered ${status}`);
    return delayUntilRefused(write, 60, time);
  });
  await check('nor does it read what is restricted', () => delayUntilRefused(read, 300, time));
}

/** Polls once a second. Allows some seconds over the bound for the poll itself. */
async function delayUntilRefused(attempt: () => Promise<unknown>, boundSeconds: number, { now, wait }: Time) {
  const startedAt = now();
  const elapsedSeconds = () => (now() - startedAt) / 1000;
  for (;;) {
    const isRefused = await attempt().then(
      () => false,
      (error: { Code?: string }) => {
        if (error.Code === 'AccessDenied' || error.Code === 'InvalidIdentityToken') return true;
        throw error;
      },
    );
    if (isRefused) return `refused after ${elapsedSeconds().toFixed(1)} s (bound: ${boundSeconds} s)`;
    expect(elapsedSeconds() < boundSeconds + 10, `still allowed after ${elapsedSeconds().toFixed(0)} s`);
    await wait(1);
  }
}
