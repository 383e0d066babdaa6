import { isNumberColumn, parseRows, separatorOf } from '../../../lib/pages/site/previews/csv.ts';
import type { Column } from '../../../lib/pages/site/tables.tsx';
import { firstColumns, type PartRequest, type Preview, rowsOfPart } from '../preview.ts';
import { type BoundedRanges, readNote } from '../reading/ranges.ts';
import { PreviewRefusal } from '../reading/refusal.ts';

const columnsShown = 100;
const valueCharactersMax = 500;
/**
 * The number of bytes of the first read of a table part. Each further read doubles it, until the bytes contain the rows
 * of the part.
 */
const firstReadBytes = 256 * 1024;
const lineFeed = 0x0a;

/** Returns the reader of text tables. If no separator is given, the reader detects it from the first lines. */
export function textTableReader(separator?: string) {
  return (file: BoundedRanges, part: PartRequest) => readTextTable(file, part, separator);
}

/**
 * Reads rows of a text table from the position of `part`. A text table has no index of its rows, so the only known
 * positions are its start and the end of an earlier part.
 */
async function readTextTable(file: BoundedRanges, part: PartRequest, knownSeparator?: string): Promise<Preview> {
  const { fileBytes } = file;
  const start = await readLines(file, 0, firstReadBytes);
  const separator = knownSeparator ?? separatorOf(start.text.slice(0, firstReadBytes));
  const heading = parseRows(start.text, separator, 1);
  const [header] = heading.rows;
  if (heading.endedRows === 0 && !start.isAtEnd) throw new PreviewRefusal('too-much-to-read');
  if (header === undefined) throw new PreviewRefusal('empty');
  const firstRow = part.row ?? 0;
  const from = part.byte ?? (heading.endedRows === 0 ? fileBytes : start.bytesUntil(heading.end));
  const { rows, end } = await readRowsFrom(file, from, separator, rowsOfPart(header.length));
  const width = Math.max(header.length, ...rows.map(({ length }) => length));
  const columns = Array.from({ length: Math.min(width, columnsShown) }, (_, at): Column => {
    return { name: header[at] ?? '', isNumber: isNumberColumn(rows, at) };
  });
  const next = firstRow + rows.length;
  return {
    table: {
      columns,
      rows: rows.map((row) => columns.map((_, at) => row[at]?.slice(0, valueCharactersMax) ?? null)),
      start: { row: firstRow, byte: from },
      firstRow,
      ...(end < fileBytes ? { next: { row: next, byte: end } } : { rowsInFile: next }),
    },
    notes: [...firstColumns(columns.length, width), readNote(file)],
  };
}

interface Rows {
  rows: string[][];
  /** The position in the file after the rows that were read. */
  end: number;
}

async function readRowsFrom(file: BoundedRanges, from: number, separator: string, rowsMax: number): Promise<Rows> {
  for (let bytes = firstReadBytes; ; bytes *= 2) {
    const { text, isAtEnd, bytesUntil } = await readLines(file, from, bytes);
    const { rows, end, endedRows } = parseRows(text, separator, rowsMax);
    if (isAtEnd && endedRows < rowsMax) return { rows, end: file.fileBytes };
    if (endedRows === rowsMax || (endedRows > 0 && bytes * 2 > file.remaining().bytes)) {
      return { rows: rows.slice(0, endedRows), end: from + bytesUntil(end) };
    }
  }
}

interface Lines {
  /** The text of complete lines. A line break inside a quoted value also ends a line. */
  text: string;
  /** True if the lines reach the end of the file. */
  isAtEnd: boolean;
  /** Returns the number of bytes before a character of a decoded text. */
  bytesUntil(index: number): number;
}

async function readLines(file: BoundedRanges, start: number, length: number): Promise<Lines> {
  const bytes = await file.read(start, Math.min(file.fileBytes, start + length));
  const isAtEnd = start + bytes.byteLength === file.fileBytes;
  const lines = isAtEnd ? bytes : bytes.subarray(0, bytes.lastIndexOf(lineFeed) + 1);
  if (lines.includes(0)) throw new PreviewRefusal('not-of-this-format');
  const markBytes = start === 0 && lines[0] === 0xef && lines[1] === 0xbb && lines[2] === 0xbf ? 3 : 0;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(lines.subarray(markBytes));
    const bytesUntil = (index: number) => markBytes + new TextEncoder().encode(text.slice(0, index)).byteLength;
    return { text, isAtEnd, bytesUntil };
  } catch {
    // A text that is not UTF-8 is usually in this encoding, which has one byte for each character.
    return { text: new TextDecoder('windows-1252').decode(lines), isAtEnd, bytesUntil: (index) => index };
  }
}
