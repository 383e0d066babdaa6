import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { type DynamoDbEndpoint, startDynamoDbEngine } from '../../lib/local/dynamodb/engine.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engines: DynamoDbEndpoint[];
  }
}

/**
 * Starts the engines of the test run. Each test file has its own database in one of them, and each test service its own
 * table.
 */
export default async function startEngines(project: TestProject) {
  process.stdout.write(
    `Generated test data has the seed ${project.config.env['SEED']} (SEED=<number> sets another).\n`,
  );
  const engines = await Promise.all(Array.from({ length: await engineCount(project) }, () => startDynamoDbEngine()));
  project.provide(
    'engines',
    engines.map(({ endpoint, region, credentials }) => ({ endpoint, region, credentials })),
  );
  return () => Promise.all(engines.map((engine) => engine.close()));
}

/** Returns the number of engines to start, 0 if no file needs one. */
async function engineCount(project: TestProject): Promise<number> {
  const given = process.env['SLUICE_TEST_ENGINES'];
  if (given !== undefined) return Number(given);
  // Returns the file names on the command line, for which Vitest has no public API. Without file names, all files run.
  const { filenamePattern } = project.vitest as unknown as { filenamePattern?: string[] };
  const { testFiles: files } = await project.globTestFiles(filenamePattern);
  if (!files.some((file) => usesEngine(file, new Set()))) return 0;
  return Math.min(2, files.length);
}

const engineUser = path.resolve('test/service/engine-of-this-file.ts');

/** Returns true when the file, or a file that it imports from this folder, uses an engine. */
function usesEngine(file: string, seen: Set<string>): boolean {
  if (file === engineUser) return true;
  if (seen.has(file) || !existsSync(file) || !file.includes(`${path.sep}test${path.sep}`)) return false;
  seen.add(file);
  const imported = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)];
  return imported.some(([, name = '']) => usesEngine(path.resolve(path.dirname(file), name), seen));
}
