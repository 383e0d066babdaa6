import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { bundleFunctions } from '../lib/stacks/bundle.ts';
import { parseConfig } from '../lib/stacks/config.ts';
import { edgeConfig } from '../lib/stacks/names.ts';
import { goal, median, printTable } from './report.ts';

const importsPerBundle = 3;

/** The size of each function's bundle, and how long a fresh process takes to import it. */
export async function benchBundles(): Promise<void> {
  const bundles = await bundleFunctions(edgeConfig(parseConfig({})), path.resolve('dist/bench'));
  const rows: string[][] = [];
  for (const bundle of bundles.values()) {
    const name = `${bundle.group}/${bundle.name}`;
    rows.push(await measure(name, { file: path.join(bundle.directory, 'index.cjs'), bytes: bundle.bytes }));
    for (const part of bundle.lateParts) rows.push(await measure(`${name}, later: ${path.basename(part.file)}`, part));
  }
  printTable('Bundles, with the AWS SDK inside', ['', 'size', 'goal', 'gzipped', 'import', 'goal'], rows);
}

async function measure(name: string, { file, bytes }: { file: string; bytes: number }): Promise<string[]> {
  const gzipped = await promisify(gzip)(await readFile(file));
  const importMs = await measureImportMs(file);
  return [
    name,
    kilobytes(bytes),
    goal(bytes, '<', 700_000),
    kilobytes(gzipped.length),
    `${importMs.toFixed(0)} ms`,
    goal(importMs, '<', 80, ' ms'),
  ];
}

/** One process after the other: side by side they would measure each other. */
async function measureImportMs(file: string): Promise<number> {
  const script = `const before = performance.now();
    await import(${JSON.stringify(file)});
    console.log(performance.now() - before);
    process.exit();`;
  const times: number[] = [];
  for (let run = 0; run < importsPerBundle; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    times.push(Number(stdout));
  }
  return median(times);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} KB`;
}
