import { AsyncLocalStorage } from 'node:async_hooks';
import type { SendTableRequest } from '../../lib/store/table-requests.ts';
import type { MemoryTable, TableChange } from './memory-table/memory-table.ts';
import type { Random } from './random.ts';

/**
 * A fault of one table request of a task. `retried`: the client lost the response and sent the request again. `crash`:
 * the task crashes after the request took effect. `early crash`: the task crashes before the request, for example after
 * a request to storage.
 */
export const requestFaults = ['lost request', 'lost reply', 'retried', 'delayed', 'crash', 'early crash'] as const;
export type RequestFault = (typeof requestFaults)[number];

/** One run of a function: its node, its table requests, and its changes to the table. */
export interface Task {
  node: string;
  random: Random;
  /** The fault, and the number of the table request that it affects, counted from 0. */
  fault?: { kind: RequestFault; request: number } | undefined;
  requests: number;
  changes: TableChange[];
  /** The number of commits before each request that reached the table. */
  reads: number[];
  /** A crashed task never continues. */
  hasCrashed: boolean;
  startedAt: number;
}

/** The time after which a client of the table stops waiting. */
const tableTimeoutMs = 3000;
const startOfTime = Date.parse('2030-01-01T12:00:00Z');

/** Replaces the function with which a node sends table requests. Tests use it to plant faults. */
export type Tampering = (send: SendTableRequest, node: string) => SendTableRequest;

/**
 * The simulated machine: one clock, one queue of events, and the network between nodes and the table. Every table
 * request is an event, so only the seed decides the order of concurrent tasks.
 */
export class Kernel {
  now = startOfTime;
  readonly table: MemoryTable;
  /** The nodes without a connection to the table, and the stopped nodes, each with the time until which this lasts. */
  readonly partitioned = new Map<string, number>();
  readonly frozen = new Map<string, number>();
  /** The difference between a node's clock and the machine's clock, in milliseconds. */
  readonly skew = new Map<string, number>();
  readonly faultsMet = new Map<string, number>();
  /** Runs after each commit. */
  onCommit: (changes: readonly TableChange[]) => void = () => undefined;
  /** Called when a task crashes, before or after it has sent its response. */
  onCrash: (node: string) => void = () => undefined;
  readonly #queue: { at: number; order: number; run: () => void }[] = [];
  readonly #tasks = new AsyncLocalStorage<Task>();
  readonly #tampering: Tampering;
  #order = 0;
  #outside = 0;

  constructor(table: MemoryTable, tampering: Tampering = (send) => send) {
    this.table = table;
    this.#tampering = tampering;
  }

  clockOf(node: string): number {
    return this.now + (this.skew.get(node) ?? 0);
  }

  at(time: number, run: () => void): void {
    this.#order += 1;
    const event = { at: Math.max(time, this.now), order: this.#order, run };
    let index = this.#queue.length;
    while (index > 0 && (this.#queue[index - 1]?.at ?? 0) > event.at) index -= 1;
    this.#queue.splice(index, 0, event);
  }

  /** Runs the events in order until this time. Each event runs to its end before the next begins. */
  async runUntil(time: number): Promise<void> {
    await this.#idle();
    for (let next = this.#queue[0]; next !== undefined && next.at <= time; next = this.#queue[0]) {
      this.#queue.shift();
      this.now = next.at;
      next.run();
      await this.#idle();
    }
    this.now = Math.max(this.now, time);
  }

  /** Runs events until the given work is done, and for at least the given time. */
  async runUntilDone<T>(work: Promise<T>, milliseconds = 0): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    await this.runUntil(this.now + milliseconds);
    while (!isDone) await this.runUntil(this.now + 100);
    return work;
  }

  /** Runs work of other threads, such as the verification of a signature. No event runs meanwhile. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#outside += 1;
    try {
      return await work();
    } finally {
      this.#outside -= 1;
    }
  }

  /** Resolves when all code waits for the kernel, which takes one turn of the event loop. */
  async #idle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#outside > 0);
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + milliseconds, resolve));
  }

  /** Runs a function as a task of a node. A function that crashes or exceeds the time limit returns undefined. */
  async run<T>(given: Pick<Task, 'node' | 'random' | 'fault'>, limitMs: number, step: () => Promise<T>) {
    const task: Task = { ...given, requests: 0, changes: [], reads: [], hasCrashed: false, startedAt: this.now };
    const limit = this.wait(limitMs).then(() => undefined);
    await this.#awake(task.node);
    const result = await Promise.race([this.#tasks.run(task, step), limit]);
    if (result === undefined) task.hasCrashed = true;
    return { task, result };
  }

  /** Pauses a task between two attempts. */
  readonly pause = (attempt: number): Promise<void> => {
    const task = this.#tasks.getStore();
    return this.wait(1 + (task?.random.below(20 * 2 ** attempt) ?? 0));
  };

  /** Returns the connection of a node to the table. */
  sender(node: () => string): SendTableRequest {
    const send: SendTableRequest = async (name, input) => this.table.sender(() => this.now)(name, input);
    return async (name, input) => {
      const task = this.#tasks.getStore();
      if (task === undefined) throw new Error('a table request outside a task');
      const fault = task.fault?.request === task.requests ? task.fault.kind : undefined;
      task.requests += 1;
      if (fault !== undefined) this.met(fault);
      await this.wait(1 + task.random.below(fault === 'delayed' ? 9000 : 15));
      await this.#awake(task.node);
      if (task.hasCrashed) return forever();
      if (fault === 'early crash') return this.#crash(task);
      if ((this.partitioned.get(node()) ?? 0) > this.now || fault === 'lost request') return this.#lose();
      const tampered = this.#tampering(send, node());
      const execute = async () => {
        const before = this.table.changes.length;
        task.reads.push(before);
        try {
          return await tampered(name, input);
        } finally {
          const changes = this.table.changes.slice(before);
          task.changes.push(...changes);
          if (changes.length > 0) this.onCommit(changes);
        }
      };
      // A retried transaction has the token of the first attempt, so the table runs it only once.
      if (fault === 'retried' && name !== 'TransactWriteItems') await execute().catch(() => undefined);
      const answer = await execute().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (fault === 'crash') return this.#crash(task);
      if (fault === 'lost reply') return this.#lose();
      await this.wait(1 + task.random.below(15));
      await this.#awake(task.node);
      if (task.hasCrashed) return forever();
      if ('error' in answer) throw answer.error;
      return answer.value;
    };
  }

  met(fault: string): void {
    this.faultsMet.set(fault, (this.faultsMet.get(fault) ?? 0) + 1);
  }

  async #awake(node: string): Promise<void> {
    for (let until = this.frozen.get(node); until !== undefined && until > this.now; until = this.frozen.get(node))
      await this.wait(until - this.now);
  }

  #crash(task: Task): Promise<never> {
    task.hasCrashed = true;
    this.onCrash(task.node);
    return forever();
  }

  async #lose(): Promise<never> {
    await this.wait(tableTimeoutMs);
    throw Object.assign(new Error('the table did not answer'), { name: 'TimeoutError' });
  }
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
