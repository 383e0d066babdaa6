import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDbEngine } from '../../lib/local/dynamodb/engine.ts';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';
import { Bounds, type Measured, type Pair, type RoundOptions } from '../../test/bounds/measure.ts';
import { gifts, type Revocation, revocations as withoutGifts } from '../../test/bounds/revocations.ts';
import type { Stage } from '../../test/bounds/stage.ts';
import { goal, percentile, printTable } from '../report.ts';
import { unlimited } from '../seeded-service.ts';
import { deletionScenario } from './deletion-load.ts';
import { exchangeScenario, refusalScenario } from './exchange-load.ts';

const allRevocations = [...withoutGifts, ...gifts];
const roundsOfEach = 8;
const stagesOfEach = 2;
const instances = 4;
const stepSeconds = 0.25;
const boundSeconds = 15;

/** The load on the service while revocations are measured. */
export interface RevocationScenario {
  name: string;
  /** True when the report has a separate row for each kind of revocation. */
  showsKinds: boolean;
  /** Returns true when the load was large enough for a result. Without this function, any load is enough. */
  isEnough?: () => boolean;
  /** Starts the load, and resolves when it runs. The returned function stops the load and describes it. */
  begin(): Promise<() => Promise<string>>;
}

export interface ScenarioFixture {
  service: LocalService;
  client: DynamoDBClient;
  tableName: string;
  /** The role and the key of the service account that signs in. */
  stage: Pick<Stage, 'roleArn' | 'key'>;
}

/**
 * The functions that create the scenarios of the revocation benchmark. Each is called when no other scenario is
 * running, because some measure the maximum rate of the machine first.
 */
const scenarios: readonly ((fixture: ScenarioFixture) => RevocationScenario | Promise<RevocationScenario>)[] = [
  () => ({ name: 'when idle', showsKinds: true, begin: async () => async () => 'No other load.' }),
  refusalScenario,
  exchangeScenario,
  deletionScenario,
];

/**
 * Measures the time from the response to a revocation until access is refused. Several warm edge instances get four
 * requests per second each. The last instance that refuses counts.
 *
 * Runs hundreds of revocations of all kinds over the real stream, with a clock that the benchmark moves forward.
 * Compares a service without other load with a service under load. An edge instance reads the change feed every ten
 * seconds. Each round revokes at another time within these ten seconds.
 *
 * @param rounds the number of rounds of each scenario, which also limits its load
 *
 * @param kind a part of the names of the kinds to measure; if set, only the scenario without other load runs
 */
export async function benchRevocation({
  rounds,
  kind = '',
}: {
  rounds?: number | undefined;
  kind?: string | undefined;
} = {}): Promise<void> {
  const revocations = allRevocations.filter(({ name }) => name.includes(kind));
  if (revocations.length === 0) throw new Error(`no kind of revocation has "${kind}" in its name`);
  const engine = await startDynamoDbEngine();
  const { endpoint, region, credentials } = engine;
  const dynamodb = { endpoint, region, credentials };
  const tableName = `bench-${randomUUID()}`;
  let offsetMs = 0;
  const clock = () => Date.now() + offsetMs;
  const service = await startLocalService({
    dynamodb,
    tableName,
    clock,
    throttles: unlimited,
    accountLoopbackEndpoints: true,
  });
  const advance = (seconds: number) => {
    offsetMs += seconds * 1000;
  };
  const client = new DynamoDBClient(dynamodb);
  const bounds = new Bounds(service, { instances, dynamodb, tableName, advance });
  try {
    const fixture = { service, client, tableName, stage: await bounds.stage() };
    for (const prepare of scenarios) {
      const scenario = await prepare(fixture);
      printScenario(scenario, await measureScenario(bounds, scenario, revocations, rounds));
      if (kind !== '') break;
    }
    const withoutFeed = revocations.filter(({ turnsTo, needsStream }) => turnsTo === undefined && !needsStream);
    await measureWithoutFeed(bounds, withoutFeed, () => service.stream.close());
  } finally {
    bounds.close();
    client.destroy();
    await service.close();
    await engine.close();
  }
}

interface MeasuredScenario {
  /** The measured seconds for each kind of revocation. */
  seconds: ReadonlyMap<string, readonly number[]>;
  /** Describes the load during the measurement. */
  during: string;
}

function printScenario({ name, showsKinds }: RevocationScenario, { seconds, during }: MeasuredScenario): void {
  const ofKinds = (effect: Effect) =>
    [...seconds].flatMap(([kind, ofKind]) => (effectOf(kind) === effect ? ofKind : []));
  const rows = effects
    .map((effect) => [`all that ${effect}`, ofKinds(effect)] as const)
    .filter(([, all]) => all.length > 0)
    .map(([what, all]) => [what, ...distribution(all), goal(percentile(all, 0.99), '<', boundSeconds, ' s at p99')]);
  const kinds = showsKinds ? [...seconds].map(([kind, ofKind]) => [kind, ...distribution(ofKind), '']) : [];
  printTable(
    `Revocation ${name}, from the response to refusal on all of ${instances} warm instances`,
    ['', 'revocations', 'p50', 'p99', 'max', 'goal'],
    [...kinds, ...rows],
  );
  console.log(`\n  ${during}`);
}

async function measureScenario(
  bounds: Bounds,
  scenario: RevocationScenario,
  revocations: readonly Revocation[],
  givenRounds: number | undefined,
): Promise<MeasuredScenario> {
  const pairs: Pair[] = [];
  for (const revocation of revocations)
    for (let count = 0; count < stagesOfEach; count += 1)
      pairs.push({ revocation, stage: await bounds.stage(revocation.storage?.[0]) });
  const seconds = new Map(revocations.map(({ name }) => [name, [] as number[]]));
  let during = '';
  const giving = pairs.filter(({ revocation }) => revocation.turnsTo === 'allowed');
  // If the caller chose the number of rounds, accept any load.
  const isEnough = () => givenRounds !== undefined || (scenario.isEnough?.() ?? true);
  for (let round = 0; round < (givenRounds ?? roundsOfEach) || !isEnough(); round += 1) {
    await bounds.signInAnew(pairs.map(({ stage }) => stage));
    await bounds.restore(giving);
    const end = await scenario.begin();
    const results = await bounds.measure(pairs, { stepSeconds }).finally(async () => {
      during = await end();
    });
    for (const [index, measured] of results.entries()) {
      const longest = Math.max(...measured.map(({ firstChangedSeconds }) => firstChangedSeconds));
      seconds.get(pairs[index]?.revocation.name ?? '')?.push(longest);
    }
    // Restore the rights that this round has revoked. A right that it has granted is revoked only at the beginning of
    // the next round.
    await bounds.restore(pairs.filter((pair) => !giving.includes(pair)));
  }
  return { seconds, during };
}

const effects = ['end only sign-ins', 'end access to objects', 'give access to objects'] as const;
type Effect = (typeof effects)[number];

function effectOf(kind: string): Effect | undefined {
  const revocation = allRevocations.find(({ name }) => name === kind);
  if (revocation?.turnsTo === 'allowed') return 'give access to objects';
  const isSignIn = revocation?.ends.every((probe) => probe.startsWith('exchange'));
  return isSignIn ? 'end only sign-ins' : 'end access to objects';
}

/**
 * Runs one round of each kind of revocation without the change feed. It measures how long cached authorization data is
 * used at most.
 */
async function measureWithoutFeed(
  bounds: Bounds,
  revocations: readonly Revocation[],
  stopStream: () => Promise<void>,
): Promise<void> {
  const rows: string[][] = [];
  const measureAll = async (name: string, options: RoundOptions) => {
    const measured: Measured[] = [];
    for (const revocation of revocations)
      measured.push(
        ...(await bounds.measure([{ revocation, stage: await bounds.stage(revocation.storage?.[0]) }], options)).flat(),
      );
    const longest = (kind: string) =>
      Math.max(
        ...measured.filter(({ probe }) => probe.startsWith(kind)).map(({ lastEarlierSeconds }) => lastEarlierSeconds),
      );
    const cell = (kind: string) => `${longest(kind).toFixed(1)} s`;
    rows.push([name, cell('exchange'), cell('write'), cell('read')]);
  };
  await measureAll('feed unreadable', { fault: 'feed unreadable' });
  await measureAll('database answers errors', { fault: 'database answers errors' });
  await stopStream();
  await measureAll('stream stopped', { isStreamRunning: false });
  printTable(
    'Without the feed: the last request allowed, of all kinds and instances (bounds: 60 s, 60 s, 300 s)',
    ['', 'exchanges', 'writes', 'restricted reads'],
    rows,
  );
}

function distribution(seconds: readonly number[]): string[] {
  const shown = [percentile(seconds, 0.5), percentile(seconds, 0.99), Math.max(...seconds)];
  return [String(seconds.length), ...shown.map((value) => `${value.toFixed(2)} s`)];
}
