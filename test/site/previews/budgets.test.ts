import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite, withImports } from '../../../lib/assets/build-site.ts';
import { type ScriptedFormat, scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { formatFiles } from './hostile/attacks.ts';
import { ReadingThread } from './hostile/reading-thread.ts';

const firstPictureBytesMax = 2_000_000;
const figures = 'docs/decisions/figures/previews.md';
const start = '<!-- budgets -->\n';
const end = '<!-- end of budgets -->\n';
const formats = Object.keys(scriptedKinds) as ScriptedFormat[];
const rows: string[] = [];
const site = await buildSite();

/**
 * Returns the compressed size in kB of scripts and all scripts that they import.
 *
 * @param loaded a script that the page has already loaded, with its imports
 */
function kilobytesOf(names: string[], loaded = ''): number {
  const known = withImports(site.files, loaded);
  const scripts = new Set(names.flatMap((name) => [...withImports(site.files, name)]));
  const bytes = [...scripts]
    .filter((name) => !known.has(name))
    .reduce((sum, name) => sum + gzipSync(site.files.get(name) ?? '').length, 0);
  return Math.ceil(bytes / 1000);
}

function scriptOf(name: string): string {
  return [...site.files.keys()].find((file) => file.replace(/-[A-Z0-9]{8}\.js$/, '') === name) ?? '';
}

describe.each(formats)('the first picture of a large file as %s', (format) => {
  let thread: ReadingThread;
  beforeAll(async () => {
    thread = await ReadingThread.open(format);
  });
  afterAll(() => thread?.close());

  it.each(Object.entries(formatFiles[format].large))('needs at most 2 MB of %s', async (name, create) => {
    const file = create();
    const allBytes = file.byteLength + (file.otherPaths?.length ?? 0) * (file.others?.byteLength ?? 0);
    expect(allBytes).toBeGreaterThan(1e9);
    const { limits, memoryBytesMax } = scriptedKinds[format];
    const { preview, refusal, file: read, memoryBytes } = await thread.read(file, {}, limits);
    expect(refusal).toBeUndefined();
    expect(preview?.map ?? preview?.table ?? preview?.slice).toBeDefined();
    const { requests, bytes } = read.used();
    expect(bytes).toBeLessThanOrEqual(firstPictureBytesMax);
    expect(memoryBytes).toBeLessThanOrEqual(memoryBytesMax);
    // The readers of CSV and TSV tables are in one script.
    const script = kilobytesOf([
      site.entries['preview-worker']?.script ?? '',
      scriptOf(format === 'tsv' ? 'csv' : format),
    ]);
    const cells = [
      scriptedKinds[format].title,
      name,
      (allBytes / 1e9).toFixed(1),
      requests,
      bytes.toLocaleString('en'),
      script,
    ];
    rows.push(`| ${cells.join(' | ')} |`);
  });
});

it('the table of budgets states the requests, bytes, and scripts of each preview', () => {
  const entry = site.entries['previews']?.script ?? '';
  const pages = [kilobytesOf([entry]), kilobytesOf([scriptOf('map-view')], entry)] as const;
  const table = [
    '| format | file | GB | requests | bytes | scripts of the worker (kB) |',
    '|---|---|--:|--:|--:|--:|',
    ...rows,
    '',
    `The page of a preview loads scripts of ${pages[0]} kB, and a map ${pages[1]} kB more. All sizes are compressed.`,
    '',
  ].join('\n');
  const text = readFileSync(figures, 'utf8');
  const [before = '', rest = ''] = text.split(start);
  const [stated, after = ''] = rest.split(end);
  if (process.env['SLUICE_WRITE_FIGURES'] === undefined) expect(stated).toBe(table);
  else writeFileSync(figures, before + start + table + end + after);
});
