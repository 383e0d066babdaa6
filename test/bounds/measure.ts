import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { feedTiming } from '../../lib/domain/changes/revocation-feed.ts';
import { openTable } from '../../lib/lambda/table.ts';
import type { DynamoDbEndpoint } from '../../lib/local/dynamodb/endpoint.ts';
import type { LocalService } from '../../lib/local/service.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { accessLaneCaughtUp } from '../service/consumer-marks.ts';
import { seededNumbers } from '../service/seeded-random.ts';
import { type EdgeInstance, edgeInstances, type Fault, type Outcome } from './edge-instances.ts';
import type { Revocation } from './revocations.ts';
import {
  buildStage,
  managePeople,
  type People,
  type ProbeName,
  probes,
  type Stage,
  signInAnew,
  signInPersonAnew,
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
  /** False once the stream was stopped. */
  isStreamRunning?: boolean;
  /** How often every instance is asked, on the moved clock. */
  stepSeconds?: number;
}

export interface Measured {
  probe: ProbeName;
  /**
   * From the management call's answer to the sending of the request, on the moved clock, of the instance that was last:
   * how long a busy machine takes to answer is no part of it.
   */
  lastAllowedSeconds: number;
  firstRefusedSeconds: number;
  refusals: Set<Outcome>;
}

/** What is revoked on a stage. */
export interface Pair {
  stage: Stage;
  revocation: Revocation;
}

const givenUpAfterSeconds = 400;

/** A stage on which something is revoked, and who must refuse it still. */
interface Subject extends Pair {
  /** On the moved clock, from the first revocation that is due. */
  dueSeconds: number;
  revokedAt: number | undefined;
  left: ReadonlyMap<Measured, Set<EdgeInstance>>;
}

/** Several warm edge instances over one table and its stream, and a clock that is moved. */
export class Bounds {
  readonly #service: LocalService;
  readonly #options: BoundsOptions;
  readonly #client: DynamoDBClient;
  readonly #feed: TableRevocationFeed;
  readonly instances: readonly EdgeInstance[];
  readonly #nextNumber = seededNumbers('moments between two polls');
  #people: Promise<People> | undefined;
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

  async stage(): Promise<Stage> {
    this.#people ??= managePeople(this.#service);
    this.#stages += 1;
    const name = String(this.#stages).padStart(4, '0');
    return buildStage(this.#service, await this.#people, this.#firstInstance(), name);
  }

  async restore(pairs: readonly Pair[]): Promise<void> {
    await Promise.all(pairs.map(({ stage, revocation }) => revocation.restore(stage, this.#firstInstance())));
  }

  /** The credentials of sessions last an hour of the moved clock. */
  async signInAnew(stages: readonly Stage[]): Promise<void> {
    const instance = this.#firstInstance();
    await Promise.all(
      stages.map(async (stage) =>
        Object.assign(stage, await signInAnew(stage, instance), await signInPersonAnew(stage, instance)),
      ),
    );
  }

  /**
   * Revokes something on each stage and asks every instance until each has refused all that it ends; what was measured,
   * stage by stage. With the feed, the revocations come at moments of their own between two looks of an instance.
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
    else await this.#expectAllowed(subjects, this.instances);
    for (const instance of this.instances) instance.fault = fault;
    try {
      for (let seconds = 0; seconds < givenUpAfterSeconds; seconds += stepSeconds) {
        const due = subjects.filter(({ revokedAt, dueSeconds }) => revokedAt === undefined && dueSeconds <= seconds);
        await Promise.all(due.map((subject) => this.#revoke(subject)));
        // On the moved clock minutes pass in no time, the stream takes its own: it goes first, and its time counts.
        if (due.length > 0 && isStreamRunning) await this.#streamCaughtUp();
        await Promise.all(subjects.map((subject) => this.#ask(subject)));
        if (subjects.every(isRefused)) return subjects.map(({ left }) => [...left.keys()]);
        if (hasFeed) await this.#serveBystander();
        this.#options.advance(stepSeconds);
      }
      throw new Error('an instance goes on for ever');
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
   * Without the feed a write reads anew what reads go by too, long before they would: the first instance is asked for
   * reads alone, the second for all else, and the others for everything.
   */
  #askers(probe: ProbeName, hasFeed: boolean): EdgeInstance[] {
    const isRead = probe.startsWith('read');
    return this.instances.filter((_, index) => hasFeed || index > 1 || isRead === (index === 0));
  }

  async #expectAllowed(subjects: readonly Subject[], instances: readonly EdgeInstance[]): Promise<void> {
    for (const { stage, left } of subjects) {
      for (const [{ probe }, askers] of left) {
        for (const instance of instances) {
          const outcome = askers.has(instance) ? await probes[probe](instance, stage) : 'allowed';
          if (outcome !== 'allowed') throw new Error(`${probe} was refused before anything was revoked: ${outcome}`);
        }
      }
    }
  }

  /** Instances look into the feed at moments of their own. */
  async #warmApart(subjects: readonly Subject[]): Promise<void> {
    const { advance } = this.#options;
    advance(feedTiming.pollEverySeconds);
    const moments = this.instances.map(() => this.#nextNumber() * feedTiming.pollEverySeconds).sort((a, b) => a - b);
    for (const [index, instance] of this.instances.entries()) {
      advance((moments[index] ?? 0) - (moments[index - 1] ?? 0));
      await this.#expectAllowed(subjects, [instance]);
    }
  }

  /** What keeps instances looking: someone whom nothing is taken from, and whom nobody may refuse. */
  async #serveBystander(): Promise<void> {
    this.#bystander ??= this.stage();
    const stage = await this.#bystander;
    for (const instance of this.instances) {
      const outcome = await probes['read by API key'](instance, stage);
      if (outcome !== 'allowed') throw new Error(`a bystander was refused: ${outcome}`);
    }
  }

  async #revoke(subject: Subject): Promise<void> {
    await subject.revocation.revoke(subject.stage);
    subject.revokedAt = this.#service.services.clock();
  }

  async #ask({ stage, revokedAt, left }: Subject): Promise<void> {
    if (revokedAt === undefined) return;
    for (const [measured, instances] of left) {
      for (const instance of [...instances]) {
        const seconds = (this.#service.services.clock() - revokedAt) / 1000;
        const outcome = await probes[measured.probe](instance, stage);
        if (outcome === 'allowed') {
          measured.lastAllowedSeconds = Math.max(measured.lastAllowedSeconds, seconds);
          continue;
        }
        instances.delete(instance);
        measured.refusals.add(outcome);
        measured.firstRefusedSeconds = Math.max(measured.firstRefusedSeconds, seconds);
      }
    }
  }

  #streamCaughtUp(): Promise<void> {
    const { clock } = this.#service.services;
    return accessLaneCaughtUp(this.#client, { tableName: this.#options.tableName, feed: this.#feed, clock });
  }
}

function newMeasurement(probe: ProbeName): Measured {
  return { probe, lastAllowedSeconds: 0, firstRefusedSeconds: 0, refusals: new Set() };
}

function isRefused({ revokedAt, left }: Subject): boolean {
  return revokedAt !== undefined && [...left.values()].every(({ size }) => size === 0);
}
