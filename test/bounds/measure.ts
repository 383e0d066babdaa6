import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { feedTiming } from '../../lib/domain/changes/revocation-feed.ts';
import { openTable } from '../../lib/lambda/table.ts';
import type { DynamoDbEndpoint } from '../../lib/local/dynamodb/engine.ts';
import type { LocalService } from '../../lib/local/service.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { accessLaneCaughtUp } from '../service/consumer-marks.ts';
import { seededNumbers } from '../service/seeded-random.ts';
import { type EdgeInstance, edgeInstances, type Fault, type Outcome } from './edge-instances.ts';
import type { Revocation } from './revocations.ts';
import {
  buildStage,
  managePeople,
  type ProbeName,
  probes,
  type Stage,
  type StorageKind,
  share,
  signInAnew,
  signInUserAgain,
  type Users,
} from './stage.ts';

interface BoundsOptions {
  instances: number;
  dynamodb: DynamoDbEndpoint;
  tableName: string;
  /** Moves the service's clock. */
  advance: (seconds: number) => void;
}

export interface RoundOptions {
  fault?: Fault;
  /** False after the test stopped the table's stream. */
  isStreamRunning?: boolean;
  /** The seconds of the moved clock between two requests to an instance. The first step is at most one second. */
  stepSeconds?: number;
}

export interface Measured {
  probe: ProbeName;
  /**
   * The seconds of the moved clock from a revocation's response to the start of the last request that was still
   * allowed. For a change that gives a right, to the last request that was still refused. The start of a request
   * counts, so a slow response of a busy machine adds nothing.
   */
  lastEarlierSeconds: number;
  firstChangedSeconds: number;
  refusals: Set<Outcome>;
}

/** A revocation on a stage, which is one organization with everything that can be revoked. */
export interface Pair {
  stage: Stage;
  revocation: Revocation;
}

const givenUpAfterSeconds = 400;

/** A stage with a revocation, and the instances that have not yet refused its requests. */
interface Subject extends Pair {
  /** The time of the revocation on the moved clock, counted from the first revocation. */
  dueSeconds: number;
  revokedAt: number | undefined;
  left: ReadonlyMap<Measured, Set<EdgeInstance>>;
}

/** Several warm edge instances over one table and its stream, with a moved clock. */
export class Bounds {
  readonly #service: LocalService;
  readonly #options: BoundsOptions;
  readonly #client: DynamoDBClient;
  readonly #feed: TableRevocationFeed;
  readonly instances: readonly EdgeInstance[];
  readonly #nextNumber = seededNumbers('moments between two polls');
  userse: Promise<Users> | undefined;
  #bystander: Promise<Stage> | undefined;
  #stages = 0;

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

  async stage(storage: StorageKind = 'key'): Promise<Stage> {
    this.userse ??= managePeople(this.#service);
    this.#stages += 1;
    const name = String(this.#stages).padStart(4, '0');
    return buildStage(this.#service, await this.userse, this.#firstInstance(), name, storage);
  }

  async restore(pairs: readonly Pair[]): Promise<void> {
    await Promise.all(pairs.map(({ stage, revocation }) => revocation.restore(stage, this.#firstInstance())));
  }

  /** Renews session credentials and links, which expire after an hour or 15 minutes of the moved clock. */
  async signInAnew(stages: readonly Stage[]): Promise<void> {
    const instance = this.#firstInstance();
    await Promise.all(
      stages.map(async (stage) =>
        Object.assign(
          stage,
          await signInAnew(stage, instance),
          await signInUserAgain(stage, instance),
          await share(stage),
        ),
      ),
    );
  }

  /**
   * Makes each revocation on its stage, and sends requests until every instance has refused everything that the
   * revocation ends. Returns the measurements of each stage. With the change feed, revocations happen at different
   * times between two feed reads.
   */
  async measure(pairs: readonly Pair[], options: RoundOptions = {}): Promise<Measured[][]> {
    const { fault = 'none', isStreamRunning = true, stepSeconds = 1 } = options;
    const hasFeed = isStreamRunning && fault === 'none';
    const subjects = pairs.map(
      (pair): Subject => ({
        ...pair,
        dueSeconds: hasFeed ? this.#nextNumber() * feedTiming.pollEverySeconds : 0,
        revokedAt: undefined,
        left: new Map(
          pair.revocation.ends.map((probe) => [newMeasurement(probe), new Set(this.#askers(probe, hasFeed))]),
        ),
      }),
    );
    if (isStreamRunning) await this.#streamCaughtUp();
    if (hasFeed) await this.#warmApart(subjects);
    else await this.#expectEarlier(subjects, this.instances);
    for (const instance of this.instances) instance.fault = fault;
    try {
      for (let seconds = 0; seconds < givenUpAfterSeconds; ) {
        const due = subjects.filter(({ revokedAt, dueSeconds }) => revokedAt === undefined && dueSeconds <= seconds);
        await Promise.all(due.map((subject) => this.#revoke(subject)));
        // The test clock moves by minutes at once, but the stream takes real time. Requests continue while the stream
        // catches up, and this time counts.
        if (due.length > 0 && isStreamRunning) await this.#streamCaughtUp();
        await Promise.all(subjects.map((subject) => this.#ask(subject)));
        if (subjects.every(isDone)) return subjects.map(({ left }) => [...left.keys()]);
        if (hasFeed) await this.#serveBystander();
        if (hasFeed) await this.#serveSpared(subjects);
        const step = seconds === 0 ? Math.min(stepSeconds, 1) : stepSeconds;
        this.#options.advance(step);
        seconds += step;
      }
      const late = subjects.filter((subject) => !isDone(subject)).map(({ revocation }) => revocation.name);
      throw new Error(`an instance still gives the earlier outcome after the longest age: ${late.join('; ')}`);
    } finally {
      for (const instance of this.instances) instance.fault = 'none';
    }
  }

  #firstInstance(): EdgeInstance {
    const [instance] = this.instances;
    if (instance === undefined) throw new Error('there is no instance');
    return instance;
  }

  /**
   * Returns the instances that send a probe. Without the change feed, a write would refresh authorization data that
   * reads also use. So the first instance sends only reads, the second one everything else, and all others both.
   */
  #askers(probe: ProbeName, hasFeed: boolean): EdgeInstance[] {
    const isRead = probe.startsWith('read');
    return this.instances.filter((_, index) => hasFeed || index > 1 || isRead === (index === 0));
  }

  async #expectEarlier(subjects: readonly Subject[], instances: readonly EdgeInstance[]): Promise<void> {
    for (const { stage, revocation, left } of subjects) {
      for (const [{ probe }, askers] of left) {
        for (const instance of instances) {
          if (!askers.has(instance)) continue;
          const outcome = await probes[probe](instance, stage);
          if (isTurned(revocation, outcome))
            throw new Error(`before "${revocation.name}", ${probe} already had the outcome ${outcome}`);
        }
      }
    }
  }

  /** Sends the requests that a revocation must not affect. */
  async #serveSpared(subjects: readonly Subject[]): Promise<void> {
    for (const { stage, revocation, revokedAt } of subjects) {
      if (revokedAt === undefined) continue;
      for (const probe of revocation.spares ?? []) {
        for (const instance of this.instances) {
          const outcome = await probes[probe](instance, stage);
          if (outcome !== 'allowed') throw new Error(`"${revocation.name}" refused ${probe}: ${outcome}`);
        }
      }
    }
  }

  /** Warms up the instances at different times, so that they read the change feed at different times. */
  async #warmApart(subjects: readonly Subject[]): Promise<void> {
    const { advance } = this.#options;
    advance(feedTiming.pollEverySeconds);
    const moments = this.instances.map(() => this.#nextNumber() * feedTiming.pollEverySeconds).sort((a, b) => a - b);
    for (const [index, instance] of this.instances.entries()) {
      advance((moments[index] ?? 0) - (moments[index - 1] ?? 0));
      await this.#expectEarlier(subjects, [instance]);
    }
  }

  /**
   * Sends requests of a client that loses no rights and must never be refused. They make instances read the change
   * feed.
   */
  async #serveBystander(): Promise<void> {
    this.#bystander ??= this.stage();
    const stage = await this.#bystander;
    for (const instance of this.instances) {
      const outcome = await probes['read by API key'](instance, stage);
      if (outcome !== 'allowed') throw new Error(`a bystander was refused: ${outcome}`);
    }
  }

  async #revoke(subject: Subject): Promise<void> {
    await subject.revocation.revoke(subject.stage, this.#firstInstance());
    subject.revokedAt = this.#service.services.clock();
  }

  async #ask({ stage, revocation, revokedAt, left }: Subject): Promise<void> {
    if (revokedAt === undefined) return;
    for (const [measured, instances] of left) {
      for (const instance of [...instances]) {
        const seconds = (this.#service.services.clock() - revokedAt) / 1000;
        const outcome = await probes[measured.probe](instance, stage);
        if (outcome !== 'allowed') measured.refusals.add(outcome);
        if (!isTurned(revocation, outcome)) {
          measured.lastEarlierSeconds = Math.max(measured.lastEarlierSeconds, seconds);
          continue;
        }
        instances.delete(instance);
        measured.firstChangedSeconds = Math.max(measured.firstChangedSeconds, seconds);
      }
    }
  }

  #streamCaughtUp(): Promise<void> {
    const { clock } = this.#service.services;
    return accessLaneCaughtUp(this.#client, { tableName: this.#options.tableName, feed: this.#feed, clock });
  }
}

function newMeasurement(probe: ProbeName): Measured {
  return { probe, lastEarlierSeconds: 0, firstChangedSeconds: 0, refusals: new Set() };
}

function isTurned({ turnsTo }: Revocation, outcome: Outcome): boolean {
  return (outcome === 'allowed') === (turnsTo === 'allowed');
}

function isDone({ revokedAt, left }: Subject): boolean {
  return revokedAt !== undefined && [...left.values()].every(({ size }) => size === 0);
}
