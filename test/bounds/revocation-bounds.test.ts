import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { Bounds, type Measured, type RoundOptions } from './measure.ts';
import { type Revocation, revocations } from './revocations.ts';
import { probes } from './stage.ts';

let service: TestService;
let bounds: Bounds;
beforeAll(async () => {
  const tableName = `test-${randomUUID()}`;
  service = await startTestService({ tableName });
  bounds = new Bounds(service, {
    instances: 3,
    dynamodb: engineOfThisFile(),
    tableName,
    advance: service.advance,
  });
});
afterAll(async () => {
  bounds.close();
  await service.close();
});

async function measureOnce(revocation: Revocation, options: RoundOptions = {}): Promise<Measured[]> {
  return (await bounds.measure([{ revocation, stage: await bounds.stage() }], options)).flat();
}

/** Returns the maximum TTL of authorization data, which is the bound when the change feed fails. */
function ageBoundSeconds({ probe }: Measured): number {
  if (probe.startsWith('exchange')) return 60;
  return probe.startsWith('write') ? 60 : 300;
}

function expectWithinAges(measured: readonly Measured[]): void {
  expect(
    measured.filter((entry) => entry.lastAllowedSeconds > ageBoundSeconds(entry)).map(({ probe }) => probe),
  ).toEqual([]);
}

describe('with the feed, every instance refuses within 15 seconds after', () => {
  test.each(revocations)('$name', async (revocation) => {
    const measured = await measureOnce(revocation);
    // Each instance receives a request every second of the moved clock. Real time on a busy machine does not count.
    expect(measured.filter(({ lastAllowedSeconds }) => lastAllowedSeconds + 1 > 15)).toEqual([]);
    expect(
      measured.flatMap(({ refusals }) => [...refusals]).filter((status) => status !== 400 && status !== 403),
    ).toEqual([]);
  });
});

describe('with a feed that cannot be read, facts grow no older than they may after', () => {
  test.each(revocations)('$name', async (revocation) => {
    expectWithinAges(await measureOnce(revocation, { fault: 'feed unreadable' }));
  });
});

describe('with a database that answers errors, facts grow no older than they may, and then it is 503, after', () => {
  test.each(revocations)('$name', async (revocation) => {
    const measured = await measureOnce(revocation, { fault: 'database answers errors' });
    expectWithinAges(measured);
    for (const { refusals } of measured) for (const status of refusals) expect(status).toBe(503);
  });
});

test('credentials of a revoked key go on, those of a disabled account do not', async () => {
  const stage = await bounds.stage();
  const [instance] = bounds.instances;
  if (instance === undefined) throw new Error('there is no instance');
  await stage.people.owner('DELETE', `/service-accounts/${stage.serviceAccount}/keys/${stage.keyId}`);
  service.advance(3000);
  expect(await probes.write(instance, stage)).toBe('allowed');
  await stage.people.owner('POST', `/service-accounts/${stage.serviceAccount}/disable`);
  service.advance(61);
  expect(await probes.write(instance, stage)).toBe(403);
  service.advance(700);
  expect(await probes.read(instance, stage)).toBe(403);
});

describe('with the stream stopped, facts grow no older than they may after', () => {
  beforeAll(() => service.stream.close());

  test.each(revocations)('$name', async (revocation) => {
    expectWithinAges(await measureOnce(revocation, { isStreamRunning: false }));
  });
});
