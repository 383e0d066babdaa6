import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';

/** The resources that a process has used, including garbage collection and file reads. */
export interface Usage {
  cpuMicroseconds: number;
  residentBytes: number;
  /** The memory of JavaScript objects and buffers that the child process still references. */
  liveBytes: number;
  /** The maximum resident memory of the process. */
  peakBytes: number;
}

export interface Child<Started> {
  started: Started;
  /** Reports the resources that the child process has used. With `collect`, collects garbage first. */
  usage(kind?: 'collect'): Promise<Usage>;
  /** Resolves when the child process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a module that calls `runAsChild` as a child process, so that its work does not disturb the benchmark's own
 * thread. `nodeOptions` are further command-line options of Node.
 */
export async function startChild<Started>(
  module: URL,
  argument?: unknown,
  nodeOptions: readonly string[] = [],
): Promise<Child<Started>> {
  const child = fork(module, [JSON.stringify(argument ?? null)], {
    execArgv: [...nodeOptions, '--expose-gc', '--import', new URL('../bin/loader.js', import.meta.url).href],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const failed = exit.then(() => Promise.reject(new Error(`${module.pathname} did not start, or ended too early`)));
  failed.catch(() => undefined);
  const nextMessage = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  return {
    started: await nextMessage(),
    async usage(kind) {
      child.send(kind ?? 'usage');
      return nextMessage();
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}

/** Returns the argument that the parent process passed to this child process. */
export function childArgument<Argument>(): Argument {
  return JSON.parse(process.argv[2] ?? 'null');
}

/**
 * Reports to the parent process that this child process is ready. Then answers each message of the parent with the used
 * resources. Ends when the parent disconnects.
 */
export function runAsChild(started: object, close: () => Promise<void>): void {
  // Ignore Ctrl-C, because a terminal sends it to the parent and to this child process. The child process ends when its
  // parent has ended.
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => void close().then(() => process.exit(0)));
  process.on('message', (message) => {
    if (message === 'collect') globalThis.gc?.();
    process.send?.(readUsage());
  });
  process.send?.(started);
}

function readUsage(): Usage {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    cpuMicroseconds: user + system,
    residentBytes: rss,
    liveBytes: heapUsed + external,
    peakBytes: peakBytes(),
  };
}

/**
 * Returns the peak memory of this program. It is read from /proc, because on Linux `maxRSS` includes memory that the
 * parent process used before (getrusage(2), proc(5)).
 */
export function peakBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}
