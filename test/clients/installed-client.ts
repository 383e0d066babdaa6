import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface InstalledClient {
  /** For titles: which binary runs, and where from; or which one is missing. */
  title: string;
  isMissing: boolean;
  /**
   * Runs it to its end, with nothing in its environment but a search path and what is given: no settings of whoever runs
   * the tests, and no home to keep credentials in from one service to the next. Rejects when it fails.
   */
  run(args: readonly string[], env?: Record<string, string>, input?: string): Promise<string>;
}

/**
 * Looks for a client on this machine.
 *
 * @param command the program and the arguments that come before all others
 * @param versionMin what it must be at least, as `2.13`, to read the settings under test
 */
export function findClient(
  name: string,
  [program = name, ...first]: readonly string[],
  { versionArgs = ['--version'], versionMin = '0' } = {},
): InstalledClient {
  const missing = (reason: string) => ({
    title: `${name} (${reason})`,
    isMissing: true,
    run: () => Promise.reject(new Error(`${name} is missing`)),
  });
  let version: string | undefined;
  let where: string;
  try {
    where = execFileSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim();
    version = /\d+\.\d+(?:\.\d+)*/.exec(
      execFileSync(program, [...first, ...versionArgs], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )?.[0];
  } catch {
    return missing('not installed here');
  }
  if (version === undefined || !isAtLeast(version, versionMin)) {
    return missing(`${version ?? 'a release that does not tell its version'} is here, ${versionMin} is needed`);
  }
  return {
    title: `${name} ${version} (${where})`,
    isMissing: false,
    run: async (args, env = {}, input = '') => {
      const running = execute(program, [...first, ...args], {
        env: { PATH: process.env['PATH'], HOME: '/dev/null', ...env },
        timeout: 25_000,
      });
      running.child.stdin?.end(input);
      return (await running).stdout;
    },
  };
}

function isAtLeast(version: string, least: string): boolean {
  const [given, wanted] = [version, least].map((text) => text.split('.').map(Number));
  for (const [index, number] of (wanted ?? []).entries()) {
    const difference = (given?.[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
