import { writeFile } from 'node:fs/promises';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { fromTokenFile } from '@aws-sdk/credential-providers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exchangeConfig, roleArn, s3Client } from '../service/data-clients.ts';
import { clientFixture, schemes } from './fixtures/client-fixture.ts';

const minuteMs = 60_000;
const place = { Bucket: 'tide-institute', Key: 'raw-drafts/renewed.txt' };

describe.each(schemes)('AWS SDK for JavaScript over %s', (scheme) => {
  const fixture = clientFixture(scheme);
  // Client and service run in one process and share this clock.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());
  const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * minuteMs);

  function connect(): { client: S3Client; keyIdsUsed: string[] } {
    const keyIdsUsed: string[] = [];
    const credentials = fromTokenFile({
      roleArn: roleArn(),
      webIdentityTokenFile: fixture.keyFile,
      durationSeconds: 900,
      clientConfig: exchangeConfig(fixture),
    });
    const client = s3Client(fixture, credentials);
    client.middlewareStack.add(
      (next) => async (input) => {
        const { headers } = input.request as { headers: Record<string, string> };
        keyIdsUsed.push(/Credential=(\w+)/.exec(headers['authorization'] ?? '')?.[1] ?? 'none');
        return next(input);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    return { client, keyIdsUsed };
  }

  test('renews credentials of 15 minutes before they expire, while fixed ones end with ExpiredToken', async () => {
    const { client, keyIdsUsed } = connect();
    await client.send(new PutObjectCommand({ ...place, Body: 'first' }));
    const fixed = await client.config.credentials();
    pass(9);
    await client.send(new PutObjectCommand({ ...place, Body: 'second' }));
    pass(2);
    await client.send(new PutObjectCommand({ ...place, Body: 'third' }));
    pass(5);
    await client.send(new PutObjectCommand({ ...place, Body: 'fourth' }));
    const [first, second, third, fourth] = keyIdsUsed;
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(fourth).toBe(third);

    await expect(s3Client(fixture, fixed).send(new GetObjectCommand(place))).rejects.toMatchObject({
      name: 'ExpiredToken',
      $metadata: { httpStatusCode: 403 },
    });
  });

  test('renews with the current key in its file', async () => {
    const { client, keyIdsUsed } = connect();
    await client.send(new PutObjectCommand({ ...place, Body: 'with the first key' }));
    await writeFile(fixture.keyFile, 'sck_cut-short\n');
    pass(9);
    await client.send(new PutObjectCommand({ ...place, Body: 'with what the first key obtained' }));
    pass(7);
    await expect(client.send(new GetObjectCommand(place))).rejects.toThrow(/API key is malformed/);
    await writeFile(fixture.keyFile, `${fixture.key}\n`);
    await client.send(new GetObjectCommand(place));
    expect(new Set(keyIdsUsed).size).toBe(2);
  });
});
