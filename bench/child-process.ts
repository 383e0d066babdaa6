import { fork } from 'node:child_process';
import { once } from 'node:events';
import { peakBytes } from './peak-memory.ts';

/** Usage of the whole process, including garbage collection and file reads. */
export interface Usage {
  cpuMicroseconds: number;
  residentBytes: number;
  /** Maximum resident memory. */
  peakBytes: number;
}

export interface Child<Started> {
  started: Started;
  usage(): Promise<Usage>;
  /** Settles when the child has ended. */
  stop(): Promise<void>;
}

/** Runs a module that calls `runAsChild`, so that it does not share a thread with the benchmark. */
export async function startChild<Started>(module: URL, argument?: unknown): Promise<Child<Started>> {
  const child = fork(module, argument === undefined ? [] : [JSON.stringify(argument)], {
    execArgv: ['--import', new URL('../bin/loader.js', import.meta.url).href],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const failed = exit.then(() => Promise.reject(new Error(`${module.pathname} did not start, or ended too early`)));
  failed.catch(() => undefined);
  const nextMessage = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  return {
    started: await nextMessage(),
    async usage() {
      child.send('usage');
      return nextMessage();
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}

/** Returns the argument of this child process. */
export function childArgument<Argument>(): Argument | undefined {
  const [json] = process.argv.slice(2);
  return json === undefined ? undefined : JSON.parse(json);
}

/** Reports to the parent that the child is ready, then its usage at each message. Ends when the parent disconnects. */
export function runAsChild(started: object, close: () => Promise<void>): void {
  // Ctrl-C in a terminal reaches this process too. It ends cleanly after its parent has ended.
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
