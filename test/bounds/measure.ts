import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { feedTiming } from '../../lib/domain/revocation-feed.ts';
import type { DynamoDbAddress, LocalService } from '../../lib/local/service.ts';
import { openTable } from '../../lib/runtime/table.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { type EdgeInstance, edgeInstances, type Fault, type Outcome } from './edge-instances.ts';
import type { Revocation } from './revocations.ts';
import { buildStage, managePeople, type People, type ProbeName, probes, type Stage } from './stage.ts';

interface BoundsOptions {
  instances: number;
  dynamodb: DynamoDbAddress;
  tableName: string;
  /** Moves the service's clock. */
  advance: (seconds: number) => void;
}

export interface RoundOptions {
  fault?: Fault;
  /** False once the stream was stopped. */
  isStreamRunning?: boolean;
  /** How often every instance is asked, on the moved clock. */
  stepSeconds?: number;
}

export interface Measured {
  probe: ProbeName;
  /** From the management call's answer, on the moved clock, of the instance that was last. */
  lastAllowedSeconds: number;
  firstRefusedSeconds: number;
  refusals: Set<Outcome>;
}

const givenUpAfterSeconds = 400;

/** Several warm edge instances over one table and its stream, and a clock that is moved. */
export class Bounds {
  readonly #service: LocalService;
  readonly #options: BoundsOptions;
  readonly #client: DynamoDBClient;
  readonly #feed: TableRevocationFeed;
  readonly instances: readonly EdgeInstance[];
  #people: Promise<People> | undefined;
  #rounds = 0;

  constructor(service: LocalService, options: BoundsOptions) {
    this.#service = service;
    this.#options = options;
    this.#client = new DynamoDBClient(options.dynamodb);
    this.#feed = new TableRevocationFeed(openTable(this.#client, options.tableName));
    this.instances = edgeInstances(options.instances, service, options);
  }

  close(): void {
    this.#client.destroy();
    for (const instance of this.instances) instance.close();
  }

  async stage(): Promise<Stage> {
    this.#people ??= managePeople(this.#service);
    const [instance] = this.instances;
    if (instance === undefined) throw new Error('there is no instance');
    this.#rounds += 1;
    return buildStage(this.#service, await this.#people, instance, String(this.#rounds).padStart(4, '0'));
  }

  /** Revokes something on a stage of its own and asks every instance until each has refused all that it ends. */
  async measure({ revoke, ends }: Revocation, options: RoundOptions = {}): Promise<Measured[]> {
    const { fault = 'none', isStreamRunning = true, stepSeconds = 1 } = options;
    const { advance } = this.#options;
    const clock = this.#service.services.clock;
    const hasFeed = isStreamRunning && fault === 'none';
    const stage = await this.stage();
    if (isStreamRunning) await this.#streamCaughtUp();
    const left = new Map(ends.map((probe) => [newMeasurement(probe), new Set(this.#askers(probe, hasFeed))]));
    await this.#expectAllowed(left, stage);
    if (hasFeed && ends.some(isOfObjects)) await this.#serveForAWhile(left, stage, stepSeconds);
    for (const instance of this.instances) instance.fault = fault;
    try {
      await revoke(stage);
      const revokedAt = clock();
      const secondsSince = () => (clock() - revokedAt) / 1000;
      // On the moved clock minutes pass in no time, the stream takes its own: it goes first, and its time counts.
      if (isStreamRunning) await this.#streamCaughtUp();
      for (;;) {
        for (const [measured, instances] of left) await this.#ask(measured, instances, stage, secondsSince);
        if ([...left.values()].every(({ size }) => size === 0)) return [...left.keys()];
        if (secondsSince() > givenUpAfterSeconds) throw new Error('an instance goes on for ever');
        advance(stepSeconds);
      }
    } finally {
      for (const instance of this.instances) instance.fault = 'none';
    }
  }

  /**
   * Without the feed a write reads anew what reads go by too, long before they would: the first instance is asked for
   * reads alone, the second for all else, and the others for everything.
   */
  #askers(probe: ProbeName, hasFeed: boolean): EdgeInstance[] {
    const isRead = probe.startsWith('read');
    return this.instances.filter((_, index) => hasFeed || index > 1 || isRead === (index === 0));
  }

  async #expectAllowed(asked: ReadonlyMap<Measured, ReadonlySet<EdgeInstance>>, stage: Stage): Promise<void> {
    for (const [{ probe }, instances] of asked) {
      for (const instance of instances) {
        const outcome = await probes[probe](instance, stage);
        if (outcome !== 'allowed') throw new Error(`${probe} was refused before anything was revoked: ${outcome}`);
      }
    }
  }

  /** Instances look into the feed at moments of their own, and the revocation comes at any moment between. */
  async #serveForAWhile(
    asked: ReadonlyMap<Measured, ReadonlySet<EdgeInstance>>,
    stage: Stage,
    stepSeconds: number,
  ): Promise<void> {
    const { advance } = this.#options;
    const ofObjects = [...asked].filter(([{ probe }]) => isOfObjects(probe));
    advance(feedTiming.pollEverySeconds);
    for (const instance of this.instances) {
      advance((Math.random() * feedTiming.pollEverySeconds) / this.instances.length);
      await this.#expectAllowed(new Map(ofObjects.map(([measured]) => [measured, new Set([instance])])), stage);
    }
    const until = Math.random() * feedTiming.pollEverySeconds;
    for (let seconds = 0; seconds < until; seconds += stepSeconds) {
      advance(stepSeconds);
      await this.#expectAllowed(new Map(ofObjects), stage);
    }
  }

  async #ask(
    measured: Measured,
    instances: Set<EdgeInstance>,
    stage: Stage,
    secondsSince: () => number,
  ): Promise<void> {
    for (const instance of [...instances]) {
      const outcome = await probes[measured.probe](instance, stage);
      const seconds = secondsSince();
      if (outcome === 'allowed') {
        measured.lastAllowedSeconds = Math.max(measured.lastAllowedSeconds, seconds);
        continue;
      }
      instances.delete(instance);
      measured.refusals.add(outcome);
      measured.firstRefusedSeconds = Math.max(measured.firstRefusedSeconds, seconds);
    }
  }

  /** The stream keeps the order of changes, so what was written before this one has been carried on with it. */
  async #streamCaughtUp(): Promise<void> {
    const clock = this.#service.services.clock;
    const pk = `ACCOUNT#caught-up-${crypto.randomUUID()}`;
    const begun = clock();
    await this.#client.send(
      new PutItemCommand({
        TableName: this.#options.tableName,
        Item: { pk: { S: pk }, sk: { S: 'ROLE#nobody' }, entity: { S: 'role' } },
      }),
    );
    for (;;) {
      const entries = await this.#feed.readSince(begun, clock());
      if (entries.some(({ partitions }) => partitions.includes(pk))) return;
      if (clock() - begun > 20_000) throw new Error('the stream does not deliver');
    }
  }
}

function newMeasurement(probe: ProbeName): Measured {
  return { probe, lastAllowedSeconds: 0, firstRefusedSeconds: 0, refusals: new Set() };
}

function isOfObjects(probe: ProbeName): boolean {
  return !probe.startsWith('exchange');
}
