import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { beforeEach, describe, expect, test } from 'vitest';
import { seedNames } from '../../lib/local/seed.ts';
import { type Credentials, ciToken, exchangeConfig, s3Client, signIn } from '../service/data-clients.ts';
import { seededService } from '../service/seeded-service.ts';

const day = 86_400;

/** Moves only when a test moves it, because remaining lifetimes are given in seconds. */
let now = Date.now();
const service = await seededService({ clock: () => now });
beforeEach(() => {
  const before = now;
  return () => {
    now = before;
  };
});

function advance(seconds: number) {
  now += seconds * 1000;
}

/** Returns by how many seconds the service's clock is ahead of the machine's. */
function aheadSeconds(): number {
  return (now - Date.now()) / 1000;
}

async function issueKey(expiry: string): Promise<string> {
  const ada = await service.person('ada');
  const issued = await ada('POST', `/service-accounts/${seedNames.service_account_id}/keys`, { label: expiry, expiry });
  expect(issued.status).toBe(201);
  return issued.body.key;
}

/** Lists the private repository. The signature has the service's current time by default. */
async function list(credentials: Credentials, { signedSecondsAgo = 0 } = {}) {
  const client = s3Client(service, credentials, aheadSeconds() - signedSecondsAgo);
  return client.send(new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/' }));
}

describe('a key', () => {
  test.each([
    ['30d', 30 * day],
    ['90d', 90 * day],
    ['1y', 365 * day],
  ])('of %s signs in until then and not after', async (expiry, seconds) => {
    const key = await issueKey(expiry);
    advance(seconds - 60);
    await signIn(service, key);
    advance(61);
    await expect(signIn(service, key)).rejects.toMatchObject({
      name: 'InvalidIdentityTokenException',
      message: expect.stringMatching(/^API key was not accepted \(request id [\w-]+\)$/),
      $metadata: { httpStatusCode: 400 },
    });
  });

  test('that never expires still signs in after twenty years', async () => {
    const key = await issueKey('never');
    advance(20 * 365 * day);
    await signIn(service, key);
  });
});

describe('temporary credentials', () => {
  test.each([
    ['an hour when no duration is asked for', undefined, 3600],
    ['the least there is', 900, 900],
    ['the most there is', 43_200, 43_200],
  ])('last %s', async (_, durationSeconds, lifeSeconds) => {
    const credentials = await signIn(service, service.key, durationSeconds === undefined ? {} : { durationSeconds });
    advance(lifeSeconds - 1);
    expect(await list(credentials)).toMatchObject({ $metadata: { httpStatusCode: 200 } });

    advance(1);
    await expect(list(credentials)).rejects.toMatchObject({
      name: 'ExpiredToken',
      message: 'The temporary credentials have expired; sign in again.',
      $metadata: { httpStatusCode: 403 },
    });
    const sts = new STSClient({ ...exchangeConfig(service), credentials, systemClockOffset: aheadSeconds() * 1000 });
    await expect(sts.send(new GetCallerIdentityCommand({}))).rejects.toMatchObject({
      name: 'ExpiredToken',
      $metadata: { httpStatusCode: 403 },
    });
  });

  test('outlive the key that they were issued for', async () => {
    const key = await issueKey('30d');
    advance(30 * day - 60);
    const credentials = await signIn(service, key);
    advance(61);
    await expect(signIn(service, key)).rejects.toThrow('API key was not accepted');
    expect(await list(credentials)).toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });

  test.each([899, 43_201])('cannot be had for %d seconds', async (durationSeconds) => {
    await expect(signIn(service, service.key, { durationSeconds })).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'DurationSeconds must be a whole number from 900 to 43200',
      $metadata: { httpStatusCode: 400 },
    });
  });
});

test.each([
  ['16 minutes ago', 960],
  ['16 minutes ahead', -960],
])('a request signed %s is refused', async (_, signedSecondsAgo) => {
  const credentials = await signIn(service, service.key);
  await expect(list(credentials, { signedSecondsAgo })).rejects.toMatchObject({
    name: 'RequestTimeTooSkewed',
    message: 'The request was signed more than 15 minutes from the current time; set the clock and sign again.',
    $metadata: { httpStatusCode: 403 },
  });
});

test('a request signed 14 minutes ago is taken', async () => {
  const credentials = await signIn(service, service.key);
  expect(await list(credentials, { signedSecondsAgo: 840 })).toMatchObject({ $metadata: { httpStatusCode: 200 } });
});

test('the token of a CI run is refused once it has expired, with a minute of leeway', async () => {
  const token = await ciToken(service);
  advance(300 + 59);
  await signIn(service, token);
  advance(1);
  await expect(signIn(service, token)).rejects.toMatchObject({
    name: 'ExpiredTokenException',
    $metadata: { httpStatusCode: 400 },
  });
});
