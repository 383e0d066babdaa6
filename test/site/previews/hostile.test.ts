import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ReadingLimits,
  type ScriptedFormat,
  type ScriptedKind,
  scriptedFormatOf,
  scriptedKinds,
} from '../../../lib/pages/site/previews/scripted.ts';
import type { PartRequest, Preview } from '../../../site/previews/preview.ts';
import { refusalText } from '../../../site/previews/reading/refusal.ts';
import { seededBytes, seededNumbers } from '../../service/seeded-random.ts';
import { falseCount, formatFiles } from './hostile/attacks.ts';
import { type HostileSource, type Outcome, ReadingThread } from './hostile/reading-thread.ts';
import { hostileFiles } from './hostile-files.ts';

const formats = Object.keys(scriptedKinds) as ScriptedFormat[];

describe.each(formats)('hostile files as %s', (format) => {
  const { limits, moreLimits, lookLimits, ...kind }: ScriptedKind = scriptedKinds[format];
  const { valid, attacks } = formatFiles[format];
  let thread: ReadingThread;
  beforeAll(async () => {
    thread = await ReadingThread.open(format);
  });
  afterAll(() => thread?.close());

  const look: PartRequest = { look: { extent: [0.1, 0.1, 0.3, 0.2], width: 800, height: 400 } };

  /** Reads each part of a file. Expects refusals with sentences, or previews without false numbers. */
  const withstand = async (name: string, given: HostileSource | Uint8Array): Promise<void> => {
    const file = 'parts' in given ? given : { byteLength: given.byteLength, parts: [{ at: 0, bytes: given }] };
    const first = await readPart(name, file, {}, limits);
    const more: PartRequest = first?.slice ? { slice: first.slice.choice } : (first?.table?.next ?? { row: 0 });
    const linked = first?.linked?.files.find(({ path }) => path !== undefined)?.path;
    if (linked !== undefined) await readPart(name, file, { linked }, lookLimits ?? limits);
    // Skip a complete slice, because it has no further part.
    if (moreLimits !== undefined && first?.slice?.hasMore !== false) await readPart(name, file, more, moreLimits);
    if (first?.map?.reads !== undefined) await readPart(name, file, look, lookLimits ?? limits);
  };

  const readPart = async (name: string, file: HostileSource, part: PartRequest, allowed: ReadingLimits) => {
    const outcome = await thread.read(file, part, allowed).catch((error: Error) => error.message);
    const problem = typeof outcome === 'string' ? outcome : problemOf(outcome, kind.memoryBytesMax, format);
    expect(problem, `${name}: ${JSON.stringify(part)}`).toBeUndefined();
    return typeof outcome === 'string' ? undefined : outcome.preview;
  };

  it('shows a valid file', async () => {
    const { preview, refusal } = await thread.read(
      { byteLength: valid.byteLength, parts: [{ at: 0, bytes: valid }] },
      {},
      limits,
    );
    expect(refusal).toBeUndefined();
    expect(preview?.map ?? preview?.table ?? preview?.slice).toBeDefined();
  });

  it('ends for a file that is cut off', async () => {
    for (const length of [0, 1, 3, 8, 15, 64, 127, 300].filter((each) => each < valid.byteLength)) {
      await withstand(`${length} bytes`, valid.subarray(0, length));
      await withstand(`without ${length} bytes`, valid.subarray(0, valid.byteLength - length));
      await withstand(`from byte ${length}`, valid.subarray(length));
    }
    for (const share of [0.25, 0.5, 0.75]) await withstand(`${share}`, valid.subarray(0, share * valid.byteLength));
  });

  it('ends for random bytes with the signature', async () => {
    const { texts = [''], at = 'start' } = kind.signature ?? {};
    for (const text of texts) {
      for (const length of [60, 5000, 400_000]) {
        const bytes = seededBytes(length, `${format} ${text}`);
        bytes.set(Buffer.from(text, 'latin1'), at === 'start' ? 0 : length - text.length);
        // The footer's length must be plausible.
        if (at === 'end') bytes.writeUInt32LE(length >> 1, length - 8);
        await withstand(`${text} and ${length} bytes`, bytes);
      }
    }
  });

  it('ends for a file with changed bytes', async () => {
    const random = seededNumbers(`changes of ${format}`);
    const edge = 400;
    // Text formats have no special byte positions.
    const words = kind.signature === undefined ? [] : Array.from({ length: edge / 4 }, (_, index) => index * 4);
    for (const word of words.flatMap((at) => [at, valid.byteLength - edge + at]).filter((at) => at >= 0)) {
      for (const bytes of [
        [255, 255, 255, 255],
        [0, 0, 0, 0],
        [255, 255, 255, 127],
      ]) {
        if (word + 4 > valid.byteLength) continue;
        const changed = Uint8Array.from(valid);
        changed.set(bytes, word);
        const file = { byteLength: valid.byteLength, parts: [{ at: 0, bytes: changed }] };
        await readPart(`byte ${word}: ${bytes}`, file, {}, limits);
      }
    }
    for (let file = 0; file < 40; file += 1) {
      const changed = Uint8Array.from(valid);
      for (let change = 0; change < 8; change += 1) changed[Math.floor(random() * valid.byteLength)] = random() * 256;
      await withstand(`change ${file}`, changed);
    }
  });

  it('ends for files of other formats', async () => {
    for (const other of formats) await withstand(other, formatFiles[other].valid);
    await withstand('a page', Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(9000)));
    await withstand('zeros', new Uint8Array(500_000));
  });

  const named = Object.entries(attacks).flatMap(([attack, files]) =>
    typeof files === 'string'
      ? []
      : Object.entries(files).map(([name, create]) => [`${attack}: ${name}`, create] as const),
  );
  it.each(named)('ends for %s', (name, create) => withstand(name, create()));

  const shown = Object.entries(hostileFiles).filter(([key]) => scriptedFormatOf(key) === format);
  it.each(shown)('ends for %s', (name, { bytes }) => withstand(name, bytes));
});

/** Texts that no preview may show: an invalid number, an absent value, or the false count of a hostile header. */
const falseText = new RegExp(`undefined|\\[object|${falseCount}|${falseCount.toLocaleString('en')}`);

/** Returns the error of a finished reading, or undefined. */
function problemOf({ preview, refusal, file, memoryBytes }: Outcome, memoryBytesMax: number, format: ScriptedFormat) {
  if (memoryBytes > memoryBytesMax) return `takes ${memoryBytes} bytes of memory`;
  const { hasFolder }: ScriptedKind = scriptedKinds[format];
  if (file.bytesRead() > file.fileBytes && !hasFolder) return 'reads more than the file';
  if (refusal !== undefined) {
    const text = refusalText(refusal, format);
    return /^[A-Z].+\.$/s.test(text) && !falseText.test(text) ? undefined : `says "${text}"`;
  }
  return preview === undefined ? 'shows nothing' : falseNumber(preview, file.fileBytes);
}

function falseNumber(
  { map, slice, table, linked, properties = [], notes }: Preview,
  fileBytes: number,
): string | undefined {
  const texts = [
    ...notes,
    ...(map?.notes ?? []),
    ...(map === undefined ? [] : [map.description]),
    ...(slice === undefined ? [] : [slice.description, ...slice.notes]),
    ...properties.flat(),
    ...(linked?.files.map(({ title }) => title) ?? []),
  ];
  const wrong = texts.find((text) => falseText.test(text) || /NaN|Infinity/.test(text));
  if (wrong !== undefined) return `says "${wrong.slice(0, 200)}"`;
  if (texts.some((text) => text.length > 500)) return 'has a long text';
  if (slice !== undefined) {
    const { image, values, choice, dimensions } = slice;
    if (values.length !== image.width * image.height || values.length > 2_250_000) return 'has a false image';
    if (choice.at.some((index, at) => !(index >= 0 && index < (dimensions[at]?.size ?? 0)))) return 'has false indices';
  }
  if (table !== undefined) {
    const { rows, columns, firstRow = 0, rowsInFile = Number.POSITIVE_INFINITY } = table;
    if (firstRow + rows.length > rowsInFile) return `shows ${firstRow} + ${rows.length} of ${rowsInFile} rows`;
    if (table.hasIndex === undefined && table.rowsInFile !== undefined && rowsInFile > fileBytes)
      return 'counts too many rows';
    if (rowsInFile === falseCount) return 'shows the false count';
    if (columns.length > 100 || rows.some((row) => row.length > columns.length)) return 'has too many columns';
    if (rows.some((row) => row.some((cell) => (cell?.length ?? 0) > 510))) return 'has a long cell';
  }
  if (map === undefined) return undefined;
  const [left, top, right, bottom] = map.extent;
  if (!map.extent.every(Number.isFinite) || !(left < right && top < bottom)) return `has the extent ${map.extent}`;
  for (const { points, starts, owners = [] } of map.layers) {
    if (points.length > 400_000 || !points.every(Number.isFinite)) return 'has false points';
    if (starts.some((start, at) => start > points.length / 2 || start < (starts[at - 1] ?? 0)))
      return 'has false parts';
    const features = map.columns?.[0]?.values.length;
    if (features !== undefined && owners.some((owner) => owner >= features)) return 'has parts of no feature';
  }
  for (const { extent, image } of map.pictures ?? []) {
    if (!extent.every(Number.isFinite)) return `has an image at ${extent}`;
    if ('pixels' in image && image.pixels.length !== image.width * image.height * 4) return 'has a false image';
  }
  return undefined;
}
