import { fork } from 'node:child_process';
import { once } from 'node:events';
import { peakBytes } from './peak-memory.ts';

/** Of the whole process, with what collects its garbage and reads its files. */
export interface Usage {
  cpuMicroseconds: number;
  residentBytes: number;
  /** The most that was ever resident. */
  peakBytes: number;
}

export interface Child<Started> {
  started: Started;
  usage(): Promise<Usage>;
  /** Settles when it has ended. */
  stop(): Promise<void>;
}

/** Runs a module that calls `runAsChild`, so that it and whoever measures it do not share a thread. */
export async function startChild<Started>(module: URL, argument?: unknown): Promise<Child<Started>> {
  const child = fork(module, argument === undefined ? [] : [JSON.stringify(argument)], {
    execArgv: ['--import', new URL('../bin/loader.js', import.meta.url).href],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const failed = exit.then(() => Promise.reject(new Error(`${module.pathname} did not start, or ended too early`)));
  failed.catch(() => undefined);
  const hear = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  return {
    started: await hear(),
    async usage() {
      child.send('usage');
      return hear();
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}

/** What a child was started with. */
export function childArgument<Argument>(): Argument | undefined {
  const [json] = process.argv.slice(2);
  return json === undefined ? undefined : JSON.parse(json);
}

/** Tells the parent that the child is ready, then its usage at each message, until the parent lets go. */
export function runAsChild(started: object, close: () => Promise<void>): void {
  // Ctrl-C in a terminal reaches this process too, which ends in order once the one that started it is gone.
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => void close().then(() => process.exit(0)));
  process.on('message', () => process.send?.(readUsage()));
  process.send?.(started);
}

function readUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return {
    cpuMicroseconds: user + system,
    residentBytes: process.memoryUsage.rss(),
    peakBytes: peakBytes(),
  };
}
