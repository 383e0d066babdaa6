import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { loader } from '../service/loader.ts';

export interface LocalProcess {
  process: ChildProcess;
  /** All it wrote so far. */
  stdout(): string;
  stderr(): string;
  /** Settles with what it printed once it says that everything answers; rejects when it ends before. */
  ready: Promise<string>;
  /** How it ended: its exit code, or the signal. */
  ended: Promise<number | NodeJS.Signals | null>;
}

/** A folder of its own for a test, gone afterwards. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-start-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs `bin/local.ts` in a folder, on free ports and with none of the settings of whoever runs the tests but those that
 * are given; undefined leaves one out.
 */
export function startLocalProcess(
  folder: string,
  settings: Record<string, string | undefined> = {},
  args: readonly string[] = [],
): LocalProcess {
  const ports = { SLUICE_API_PORT: '0', SLUICE_DATA_PORT: '0', SLUICE_IDENTITY_PORT: '0' };
  const lastLine = settings['SLUICE_SEED'] === 'none' ? /identity issuers .*\n/ : /AWS_WEB_IDENTITY_TOKEN_FILE=.*\n/;
  // The temporary folder is shared, because it holds what the loader has compiled.
  const { PATH, JAVA_HOME, NODE_COMPILE_CACHE, TMPDIR } = process.env;
  const own = { PATH, JAVA_HOME, NODE_COMPILE_CACHE, TMPDIR, HOME: folder };
  const child = spawn(process.execPath, [...loader, path.resolve('bin/local.ts'), ...args], {
    cwd: folder,
    env: { ...own, ...ports, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
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
    // Asked, not killed: its engine would go on writing into the folder that is removed now.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  });
  return { process: child, stdout: () => stdout, stderr: () => stderr, ready: started.promise, ended };
}

/** The process and all that it started, and they in turn. */
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
