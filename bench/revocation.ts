import { randomUUID } from 'node:crypto';
import { startDynamoDbEngine } from '../lib/local/dynamodb/engine.ts';
import { startLocalService } from '../lib/local/service.ts';
import { Bounds, type Measured, type RoundOptions } from '../test/bounds/measure.ts';
import { revocations } from '../test/bounds/revocations.ts';
import { goal, printTable } from './report.ts';

const roundsOfEach = 8;
const subjectsOfEach = 25;
const instances = 4;
const stepSeconds = 0.25;

/**
 * From the management call's answer to the first refusal on the last of several warm edge instances, which are asked four
 * times a second: hundreds of revocations of each kind over the real stream, on a moved clock. What a round revokes comes
 * at moments of its own within the ten seconds between two looks of an instance; in each round instances look at others.
 */
export async function benchRevocation(): Promise<void> {
  const engine = await startDynamoDbEngine();
  const { endpoint, region, credentials } = engine;
  const dynamodb = { endpoint, region, credentials };
  const tableName = `bench-${randomUUID()}`;
  let offsetMs = 0;
  const service = await startLocalService({ dynamodb, tableName, clock: () => Date.now() + offsetMs });
  const advance = (seconds: number) => {
    offsetMs += seconds * 1000;
  };
  const bounds = new Bounds(service, { instances, dynamodb, tableName, advance });
  try {
    const title = `Revocation, from the answer to refusal on all of ${instances} warm instances`;
    const signIns: number[] = [];
    const objects: number[] = [];
    const rows: string[][] = [];
    for (const revocation of revocations) {
      const seconds: number[] = [];
      const stages = await Promise.all(Array.from({ length: subjectsOfEach }, () => bounds.stage()));
      for (let round = 0; round < roundsOfEach; round += 1) {
        for (const measured of await bounds.measure(revocation, stages, { stepSeconds }))
          seconds.push(Math.max(...measured.map(({ firstRefusedSeconds }) => firstRefusedSeconds)));
        await bounds.restore(revocation, stages);
      }
      (revocation.ends.every((probe) => probe.startsWith('exchange')) ? signIns : objects).push(...seconds);
      rows.push([revocation.name, ...distribution(seconds), '']);
    }
    for (const [name, seconds] of [
      ['all that end sign-ins alone', signIns],
      ['all that end access to objects', objects],
    ] as const) {
      rows.push([name, ...distribution(seconds), goal(percentile(seconds, 99), '<', 15, ' s at p99')]);
    }
    printTable(title, ['', 'revocations', 'p50', 'p99', 'max', 'goal'], rows);
    await measureWithoutFeed(bounds, () => service.stream.close());
  } finally {
    bounds.close();
    await service.close();
    await engine.close();
  }
}

/** One round of each kind: what is measured is the age that facts may have. */
async function measureWithoutFeed(bounds: Bounds, stopStream: () => Promise<void>): Promise<void> {
  const rows: string[][] = [];
  const measureAll = async (name: string, options: RoundOptions) => {
    const measured: Measured[] = [];
    for (const revocation of revocations)
      measured.push(...(await bounds.measure(revocation, [await bounds.stage()], options)).flat());
    const longest = (kind: string) =>
      Math.max(
        ...measured.filter(({ probe }) => probe.startsWith(kind)).map(({ lastAllowedSeconds }) => lastAllowedSeconds),
      );
    const cell = (kind: string) => `${longest(kind).toFixed(1)} s`;
    rows.push([name, cell('exchange'), cell('write'), cell('read')]);
  };
  await measureAll('feed unreadable', { fault: 'feed unreadable' });
  await measureAll('database answers errors', { fault: 'database answers errors' });
  await stopStream();
  await measureAll('stream stopped', { isStreamRunning: false });
  printTable(
    'Without it: the last request allowed, of all kinds and instances (bounds: 60 s, 60 s, 300 s)',
    ['', 'exchanges', 'writes', 'restricted reads'],
    rows,
  );
}

function distribution(seconds: readonly number[]): string[] {
  const shown = [percentile(seconds, 50), percentile(seconds, 99), Math.max(...seconds)];
  return [String(seconds.length), ...shown.map((value) => `${value.toFixed(2)} s`)];
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}
