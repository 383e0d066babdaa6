import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildSite, withImports } from '../lib/assets/build-site.ts';
import { scriptedKinds } from '../lib/pages/site/previews/scripted.ts';
import { bundleFunctions } from '../lib/stacks/bundle.ts';
import { parseConfig } from '../lib/stacks/config.ts';
import { edgeConfig } from '../lib/stacks/names.ts';
import { goal, median, printTable } from './report.ts';

const importsPerBundle = 3;

/** Prints the size of each function's bundle, and the time to import it in a new process. */
export async function benchBundles(): Promise<void> {
  const bundles = await bundleFunctions(edgeConfig(parseConfig({})), path.resolve('dist/bench'));
  const rows: string[][] = [];
  for (const bundle of bundles.values()) {
    const name = `${bundle.group}/${bundle.name}`;
    rows.push(await measure(name, { file: path.join(bundle.directory, 'index.cjs'), bytes: bundle.bytes }));
    for (const part of bundle.lateParts) rows.push(await measure(`${name}, later: ${path.basename(part.file)}`, part));
  }
  printTable('Bundles, with the AWS SDK inside', ['', 'size', 'goal', 'gzipped', 'import', 'goal'], rows);
  await benchSite();
}

/**
 * Prints how many bytes a browser loads for each entry point of the site, and how many more for each preview format.
 */
async function benchSite(): Promise<void> {
  const { entries, files } = await buildSite();
  const first = Object.entries(entries).map(
    ([name, { script, preloads }]) => [`${name}, first view`, [script, ...preloads]] as const,
  );
  const later = Object.keys(scriptedKinds).map((format) => {
    const script = [...files.keys()].find((name) => name.startsWith(`${format}-`)) ?? '';
    return [`preview of ${format}`, [...withImports(files, script)]] as const;
  });
  const rows = [...first, ...later].map(([name, scripts]) => {
    const contents = scripts.map((script) => files.get(script) ?? new Uint8Array());
    const sizes = contents.map((bytes) => gzipSync(bytes).length);
    return [name, kilobytes(sum(contents.map(({ length }) => length))), kilobytes(sum(sizes))];
  });
  printTable('Browser code', ['', 'size', 'gzipped'], rows);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function measure(name: string, { file, bytes }: { file: string; bytes: number }): Promise<string[]> {
  const script = `const before = performance.now();
    await import(${JSON.stringify(file)});
    console.log(performance.now() - before);
    process.exit();`;
  const times: number[] = [];
  // Import one bundle at a time, because concurrent processes would slow each other down.
  for (let count = 0; count < importsPerBundle; count += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    times.push(Number(stdout));
  }
  const importMs = median(times);
  return [
    name,
    kilobytes(bytes),
    goal(bytes, '<', 700_000),
    kilobytes(gzipSync(await readFile(file)).length),
    `${importMs.toFixed(0)} ms`,
    goal(importMs, '<', 80, ' ms'),
  ];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} KB`;
}
