import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { buildSite } from '../lib/assets/build-site.ts';
import { scriptedKinds } from '../lib/pages/site/previews/scripted.ts';
import { bundleFunctions, type FunctionBundle } from '../lib/stacks/bundle.ts';
import { parseConfig } from '../lib/stacks/config.ts';
import { edgeConfig } from '../lib/stacks/names.ts';
import { goal, median, printTable } from './report.ts';

const importsPerBundle = 3;
const importsBeside = 15;

/**
 * Prints the size of each function's bundle and its import time in a new process. With `beside`, the output directory
 * of another release's benchmark, only the edge functions are measured. The two releases then take turns, because the
 * load of the machine changes.
 */
export async function benchBundles({ beside }: { beside?: string | undefined } = {}): Promise<void> {
  const bundles = await bundleFunctions(edgeConfig(parseConfig({})), path.resolve('dist/bench'));
  if (beside !== undefined)
    return compareBundles(
      [...bundles.values()].filter(({ group }) => group === 'edge'),
      beside,
    );
  const rows: string[][] = [];
  for (const bundle of bundles.values()) {
    const name = `${bundle.group}/${bundle.name}`;
    rows.push(await measure(name, { file: path.join(bundle.directory, 'index.cjs'), bytes: bundle.bytes }));
    for (const part of bundle.lateParts) rows.push(await measure(`${name}, later: ${path.basename(part.file)}`, part));
  }
  printTable('Bundles, with the AWS SDK inside', ['', 'size', 'goal', 'gzipped', 'import', 'goal'], rows);
  await benchSite();
}

/** Prints the bytes that a browser loads for each entry of the site, and later for each preview format. */
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

function withImports(files: ReadonlyMap<string, Uint8Array>, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = new TextDecoder().decode(files.get(name));
  for (const [, imported = ''] of text.matchAll(/\bfrom"\.\/([^"]+)"|\bimport"\.\/([^"]+)"/g))
    withImports(files, imported, found);
  return found;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function measure(name: string, { file, bytes }: { file: string; bytes: number }): Promise<string[]> {
  const gzipped = await promisify(gzip)(await readFile(file));
  const imports = await measureImports([file], importsPerBundle);
  const importMs = median((imports.get(file) ?? []).map(({ ms }) => ms));
  return [
    name,
    kilobytes(bytes),
    goal(bytes, '<', 700_000),
    kilobytes(gzipped.length),
    `${importMs.toFixed(0)} ms`,
    goal(importMs, '<', 80, ' ms'),
  ];
}

async function compareBundles(bundles: readonly FunctionBundle[], beside: string): Promise<void> {
  const pairs = bundles.map(({ name, directory }) => ({
    name,
    now: path.join(directory, 'index.cjs'),
    former: path.resolve(beside, name, 'index.cjs'),
  }));
  const imports = await measureImports(
    pairs.flatMap(({ now, former }) => [former, now]),
    importsBeside,
  );
  const rows: string[][] = [];
  for (const { name, now, former } of pairs) {
    const of = (file: string, figure: keyof ImportTime) =>
      median((imports.get(file) ?? []).map((time) => time[figure]));
    const percent = (of(now, 'cpuMs') / of(former, 'cpuMs')) * 100;
    rows.push([
      name,
      ...[former, now].map((file) => kilobytes(statSync(file).size)),
      ...[former, now].map((file) => `${of(file, 'ms').toFixed(0)} ms`),
      ...[former, now].map((file) => `${of(file, 'cpuMs').toFixed(0)} ms`),
      // The other functions never contained the SDK.
      name === 'shape-response' ? '' : goal(Math.round(percent), '<', 50, ' %'),
      `${percent.toFixed(0)} %`,
    ]);
  }
  const columns = ['', 'then', 'now', 'import then', 'now', 'CPU then', 'now', 'goal', ''];
  printTable(`Cold starts at the edge beside ${beside}, medians of ${importsBeside} in turn`, columns, rows);
}

interface ImportTime {
  ms: number;
  /** CPU time of the process during the import. Other load on the machine affects it less than elapsed time. */
  cpuMs: number;
}

/** Measures one process at a time, because concurrent processes would affect each other. */
async function measureImports(files: readonly string[], rounds: number): Promise<Map<string, ImportTime[]>> {
  const times = new Map(files.map((file): [string, ImportTime[]] => [file, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const file of files) {
      const script = `const used = process.cpuUsage();
        const before = performance.now();
        await import(${JSON.stringify(file)});
        const ms = performance.now() - before;
        const { user, system } = process.cpuUsage(used);
        console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000 }));
        process.exit();`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
      times.get(file)?.push(JSON.parse(stdout));
    }
  }
  return times;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} KB`;
}
