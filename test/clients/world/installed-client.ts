import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface InstalledClient {
  /** For titles: which binary runs, and where from; or which one is missing. */
  title: string;
  isMissing: boolean;
  /** Empty when it is missing. */
  version: string;
  /**
   * Runs it to its end, with nothing in its environment but a search path and what is given: no settings of whoever runs
   * the tests, and no home to keep credentials in from one service to the next. Rejects when it fails.
   */
  run(args: readonly string[], env?: Record<string, string>, input?: string): Promise<string>;
  runForBytes(args: readonly string[], env?: Record<string, string>, input?: string): Promise<Buffer>;
  /** Starts it with the same environment and leaves it running. Throws when it is missing. */
  start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams;
}

interface Wanted {
  versionArgs?: readonly string[];
  /** What it must be at least, as `2.13`. */
  versionMin?: string;
  timeoutMs?: number;
}

/** Looks for a client on this machine; `command` is the program and the arguments that come before all others. */
export function findClient(
  name: string,
  [program = name, ...first]: readonly string[],
  { versionArgs = ['--version'], versionMin = '0', timeoutMs = 100_000 }: Wanted = {},
): InstalledClient {
  const fail = () => Promise.reject(new Error(`${name} is missing`));
  const missing = (reason: string) => ({
    title: `${name} (${reason})`,
    isMissing: true,
    version: '',
    run: fail,
    runForBytes: fail,
    start: () => {
      throw new Error(`${name} is missing`);
    },
  });
  const where = findProgram(program);
  if (where === undefined) return missing('not installed here');
  let version: string | undefined;
  try {
    version = /\d+\.\d+(?:\.\d+)*/.exec(
      execFileSync(where, [...first, ...versionArgs], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )?.[0];
  } catch {
    return missing(`${where} is here, but not this`);
  }
  if (version === undefined || !isAtLeast(version, versionMin)) {
    return missing(`${version ?? 'a release that does not tell its version'} is here, ${versionMin} is needed`);
  }
  const environment = (env: Record<string, string>) => ({ PATH: process.env['PATH'], HOME: '/dev/null', ...env });
  const runForBytes: InstalledClient['runForBytes'] = async (args, env = {}, input = '') => {
    const running = execute(where, [...first, ...args], {
      env: environment(env),
      timeout: timeoutMs,
      encoding: 'buffer',
      maxBuffer: 64 * 1024 * 1024,
    });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  return {
    title: `${name} ${version} (${where})`,
    isMissing: false,
    version,
    run: async (...given) => (await runForBytes(...given)).toString(),
    runForBytes,
    start: (args, env = {}) => spawn(where, [...first, ...args], { env: environment(env) }),
  };
}

/** One client of each of these places that has it, and each release once; the search path's only where the first place has none. */
export function findEachRelease(
  name: string,
  [installed, searched, ...others]: readonly [string, string, ...string[]],
  args: readonly string[] = [],
  wanted?: Wanted,
): InstalledClient[] {
  const find = (where: string) => findClient(name, [where, ...args], wanted);
  const first = find(installed);
  const found = [first.isMissing ? find(searched) : first, ...others.map(find)];
  const present = found.filter(({ isMissing }) => !isMissing);
  const differing = present.filter(
    ({ version }, index) => present.findIndex((other) => other.version === version) === index,
  );
  return differing.length > 0 ? differing : found.slice(0, 1);
}

function findProgram(program: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

export function isAtLeast(version: string, least: string): boolean {
  const [given, wanted] = [version, least].map((text) => text.split('.').map(Number));
  for (const [index, number] of (wanted ?? []).entries()) {
    const difference = (given?.[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
