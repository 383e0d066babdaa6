import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trust, trustsNobody } from '../service/account-storage.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { testService } from '../service/test-service.ts';
import { Bounds, type Measured, type Pair, type RoundOptions } from './measure.ts';
import { gifts, revocations } from './revocations.ts';
import { probes } from './stage.ts';

const tableName = `test-${randomUUID()}`;
const service = await testService({ tableName, accountLoopbackEndpoints: true });
const { advance } = service;
const bounds = new Bounds(service, { instances: 3, dynamodb: engineOfThisFile(), tableName, advance });
afterAll(() => bounds.close());

/** The longest time for which authorization data is cached, which is the bound when the change feed fails. */
const ageMaxSeconds = 300;
// Requests come one second after the revocation and then every ten seconds. So one request comes one second after each
// bound.
const coarse = { stepSeconds: 10 };

// Every revocation has its own stage for each kind of storage. All rounds use these stages.
const pairs: (Pair & { name: string })[] = [];
for (const revocation of revocations) {
  for (const storage of revocation.storage ?? ['key']) {
    const name = storage === 'key' ? revocation.name : `${revocation.name} (storage by a role)`;
    pairs.push({ name, revocation, stage: await bounds.stage(storage) });
  }
}

/** Measures all revocations together, and then restores the rights. Returns the measurements by revocation. */
async function measureAll(options: RoundOptions): Promise<Map<string, Measured[]>> {
  const asked = pairs.filter(({ revocation }) => options.isStreamRunning !== false || !revocation.needsStream);
  advance(ageMaxSeconds + 1);
  await bounds.signInAnew(asked.map(({ stage }) => stage));
  const measured = await bounds.measure(asked, options);
  await bounds.restore(asked);
  return new Map(asked.map(({ name }, index) => [name, measured[index] ?? []]));
}

function stageAt(index: number): Pair['stage'] {
  const pair = pairs[index];
  if (pair === undefined) throw new Error('there are more gifts than stages');
  return pair.stage;
}

function ageBoundSeconds({ probe }: Measured): number {
  return /^(?:exchange|write)/.test(probe) ? 60 : ageMaxSeconds;
}

describe('with the change feed', () => {
  let measured: Map<string, Measured[]>;
  beforeAll(async () => {
    measured = await measureAll({});
  }, 300_000);

  test.each(pairs)('every instance refuses within 15 seconds after $name', ({ name, revocation }) => {
    const probed = measured.get(name) ?? [];
    // Each instance receives a request every second of the moved clock. Real time on a busy machine does not count.
    expect(probed.filter(({ lastEarlierSeconds }) => lastEarlierSeconds + 1 > 15)).toEqual([]);
    const refusals = probed.flatMap((entry) => [...entry.refusals]);
    expect(refusals.length).toBeGreaterThan(0);
    expect([400, 403, revocation.refusedWith]).toEqual(expect.arrayContaining(refusals));
  });
});

describe('with the change feed, cached refusals', () => {
  let measured: Measured[][];
  beforeAll(async () => {
    // Each change that gives a right reuses the stage of a revocation, after its rights were restored.
    const given = gifts.map((revocation, index): Pair => ({ revocation, stage: stageAt(index) }));
    await bounds.signInAnew(given.map(({ stage }) => stage));
    await bounds.restore(given);
    measured = await bounds.measure(given);
  }, 300_000);

  test.each(gifts.map(({ name }, index) => ({ name, index })))('end within 15 seconds after $name', ({ index }) => {
    const probed = measured[index] ?? [];
    expect(probed.filter(({ lastEarlierSeconds }) => lastEarlierSeconds + 1 > 15)).toEqual([]);
    expect(probed.flatMap(({ refusals }) => [...refusals])).toContain(403);
  });
});

test('credentials of a revoked key stay valid, and those of a disabled account do not', async () => {
  const stage = await bounds.stage();
  const [instance] = bounds.instances;
  if (instance === undefined) throw new Error('the test has no instance');
  await stage.users.owner('DELETE', `/service-accounts/${stage.serviceAccount}/keys/${stage.keyId}`);
  advance(3000);
  expect(await probes.write(instance, stage)).toBe('allowed');
  await stage.users.owner('POST', `/service-accounts/${stage.serviceAccount}/disable`);
  advance(61);
  expect(await probes.write(instance, stage)).toBe(403);
  advance(700);
  expect(await probes.read(instance, stage)).toBe(403);
});

test('reads end within an hour after the role no longer trusts the service', async () => {
  const stage = await bounds.stage('role');
  const outcomes = () => Promise.all(bounds.instances.map((instance) => probes['read by anyone'](instance, stage)));
  expect(new Set(await outcomes())).toEqual(new Set(['allowed']));
  await trust(service, stage.connection, trustsNobody);
  // The service cannot revoke credentials of the IAM role. They are valid for an hour.
  advance(3600);
  expect(new Set(await outcomes())).toEqual(new Set([503]));
});

describe.each([
  { failure: 'a change feed that cannot be read', options: { fault: 'feed unreadable' } },
  { failure: 'a database that answers errors', options: { fault: 'database answers errors' }, refusal: 503 },
  { failure: 'a stopped stream', options: { isStreamRunning: false } },
] as const)('with $failure', ({ options, ...expected }) => {
  let measured: Map<string, Measured[]>;
  beforeAll(async () => {
    if ('isStreamRunning' in options) await service.stream.close();
    measured = await measureAll({ ...coarse, ...options });
  }, 300_000);

  const asked = pairs.filter(({ revocation }) => !('isStreamRunning' in options) || !revocation.needsStream);
  test.each(asked)('cached rights end at their age limit after $name', ({ name }) => {
    const probed = measured.get(name) ?? [];
    expect(probed.length).toBeGreaterThan(0);
    expect(probed.filter((entry) => entry.lastEarlierSeconds > ageBoundSeconds(entry))).toEqual([]);
    if ('refusal' in expected)
      expect([...new Set(probed.flatMap(({ refusals }) => [...refusals]))]).toEqual([expected.refusal]);
  });
});
