import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { loader } from '../service/loader.ts';

export interface LocalProcess {
  process: ChildProcess;
  /** Returns the output of the process so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with the output when the process reports that all servers answer. Rejects if the process ends first. */
  ready: Promise<string>;
  /** The exit code of the process, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

/** Runs a command of bin/ until it exits, with only the given variables in its environment. */
export async function runCommand(
  program: string,
  args: readonly string[] = [],
  { env = {}, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string | undefined } = {},
) {
  const file = path.resolve(`bin/${program}.ts`);
  const child = spawn(process.execPath, [...loader, file, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, output, errors };
}

/** Creates a folder for a test, and removes it afterwards. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-start-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs `bin/local.ts` in a folder, on free ports. Its environment contains only the given settings. A setting with
 * undefined is removed. `command` starts it in another way, in a process group of its own as in a terminal.
 */
export function startLocalProcess(
  folder: string,
  settings: Record<string, string | undefined> = {},
  args: readonly string[] = [],
  command?: readonly [program: string, ...args: string[]],
): LocalProcess {
  const ports = { SLUICE_API_PORT: '0', SLUICE_DATA_PORT: '0', SLUICE_IDENTITY_PORT: '0' };
  const lastLine =
    settings['SLUICE_SEED'] === 'none' ? /identity issuers .*[\r\n]/ : /AWS_WEB_IDENTITY_TOKEN_FILE=.*[\r\n]/;
  // The temporary folder is shared by all starts, because it contains the loader's compiled files.
  const { PATH, JAVA_HOME, NODE_COMPILE_CACHE, TMPDIR } = process.env;
  const own = { PATH, JAVA_HOME, NODE_COMPILE_CACHE, TMPDIR, HOME: folder };
  const [program, ...first] = command ?? [process.execPath, ...loader, path.resolve('bin/local.ts')];
  const child = spawn(program, [...first, ...args], {
    cwd: folder,
    env: { ...own, ...ports, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: command !== undefined,
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const started = Promise.withResolvers<string>();
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (lastLine.test(stdout)) started.resolve(stdout);
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => {
      started.reject(new Error(`it ended (${code ?? signal}): ${stderr}`));
      resolve(code ?? signal);
    }),
  );
  started.promise.catch(() => undefined);
  onTestFinished(async () => {
    // SIGTERM also stops the database engine, which would otherwise still write to the folder that the test removes.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  });
  return { process: child, stdout: () => stdout, stderr: () => stderr, ready: started.promise, ended };
}

/** Returns the process and all its descendants. */
export function processTree(root: number | undefined): { pid: number; command: string }[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const all = lines.map((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), command };
  });
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree.map(({ pid, command }) => ({ pid, command }));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
