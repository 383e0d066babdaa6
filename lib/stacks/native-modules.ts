import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

/** The module of DuckDB with code for one operating system and processor. A bundle cannot contain it. */
export const nativeModule = '@duckdb/node-bindings';

const lockSchema = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

/**
 * Installs the native module for Lambda (Linux, arm64) into a folder, even on a computer of another kind. npm checks
 * the version and the integrity that `package-lock.json` contains. Needs the npm registry, or a cached package.
 *
 * @throws Error with npm's output if the package cannot be installed
 */
export async function installNativeModule(repository: string, directory: string): Promise<void> {
  const lock = lockSchema.parse(JSON.parse(await readFile(path.join(repository, 'package-lock.json'), 'utf8')));
  const locked = Object.entries(lock.packages).filter(
    ([name]) => name.startsWith(`node_modules/${nativeModule}`) || name === 'node_modules/detect-libc',
  );
  const { version } = lock.packages[`node_modules/${nativeModule}`] ?? {};
  const root = { name: 'native-module', dependencies: { [nativeModule]: version } };
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'package.json'), JSON.stringify(root));
  const packages = { '': root, ...Object.fromEntries(locked.map(([name, { dev: _, ...entry }]) => [name, entry])) };
  await writeFile(path.join(directory, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  const target = ['--os=linux', '--cpu=arm64', '--libc=glibc'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...target, ...quiet], { cwd: directory });
}
