import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import type { DynamoDbEndpoint } from '../../lib/local/dynamodb/endpoint.ts';
import { startDynamoDbEngine } from '../../lib/local/dynamodb/engine.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engines: DynamoDbEndpoint[];
  }
}

/** Engines for the whole run: each test file has a database of its own in one of them, each test service a table. */
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

/** None where no file that runs uses one. */
async function engineCount(project: TestProject): Promise<number> {
  const given = process.env['SLUICE_TEST_ENGINES'];
  if (given !== undefined) return Number(given);
  // What was named on the command line. Vitest keeps it to itself; without it, every file counts.
  const { filenamePattern } = project.vitest as unknown as { filenamePattern?: string[] };
  const { testFiles: files } = await project.globTestFiles(filenamePattern);
  if (!files.some((file) => usesEngine(file, new Set()))) return 0;
  return Math.min(2, files.length);
}

const engineUser = path.resolve('test/service/engine-of-this-file.ts');

/** Whether the file, or what it imports from this folder, takes an engine. */
function usesEngine(file: string, seen: Set<string>): boolean {
  if (file === engineUser) return true;
  if (seen.has(file) || !existsSync(file) || !file.includes(`${path.sep}test${path.sep}`)) return false;
  seen.add(file);
  const imported = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)];
  return imported.some(([, name = '']) => usesEngine(path.resolve(path.dirname(file), name), seen));
}
