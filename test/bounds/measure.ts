import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
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
    const stage = await this.stage();
    if (isStreamRunning) await this.#streamCaughtUp();
    for (const instance of this.instances) {
      // Each looks into the feed at a moment of its own.
      advance(Math.random() * 5);
      for (const probe of ends) {
        const outcome = await probes[probe](instance, stage);
        if (outcome !== 'allowed') throw new Error(`${probe} was refused before anything was revoked: ${outcome}`);
      }
      instance.fault = fault;
    }
    try {
      await revoke(stage);
      const revokedAt = clock();
      const secondsSince = () => (clock() - revokedAt) / 1000;
      // On the moved clock minutes pass in no time, the stream takes its own: it goes first, and its time counts.
      if (isStreamRunning) await this.#streamCaughtUp();
      const measured = ends.map((probe): Measured & { left: Set<EdgeInstance> } => ({
        probe,
        lastAllowedSeconds: 0,
        firstRefusedSeconds: 0,
        refusals: new Set(),
        left: new Set(this.instances),
      }));
      for (;;) {
        for (const { left, ...entry } of measured) await this.#ask(entry, left, stage, secondsSince);
        if (measured.every(({ left }) => left.size === 0)) return measured;
        if (secondsSince() > givenUpAfterSeconds) throw new Error('an instance goes on for ever');
        advance(stepSeconds);
      }
    } finally {
      for (const instance of this.instances) instance.fault = 'none';
    }
  }

  async #ask(measured: Measured, left: Set<EdgeInstance>, stage: Stage, secondsSince: () => number): Promise<void> {
    for (const instance of [...left]) {
      const outcome = await probes[measured.probe](instance, stage);
      const seconds = secondsSince();
      if (outcome === 'allowed') {
        measured.lastAllowedSeconds = Math.max(measured.lastAllowedSeconds, seconds);
        continue;
      }
      left.delete(instance);
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
