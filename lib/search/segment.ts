import * as z from 'zod';
import { type SearchEntry, searchFields } from '../domain/data/search-entries.ts';
import { TermCollector, type Terms, type Weight, writeNumber } from './terms.ts';

/**
 * An immutable part of the search index. A document is the entry of one repository. Documents are numbered from 0 in
 * the order in which they were added.
 */
export interface Segment {
  /** The name of each document's repository, in the form `account_id/repository_id`. */
  names: readonly string[];
  titles: readonly string[];
  published: Float64Array;
  updated: Float64Array;
  /** The number of files of each repository, and the size of its files. */
  files: Float64Array;
  bytes: Float64Array;
  words: Terms;
  labels: Terms;
}

export class SegmentBuilder {
  readonly #names: string[] = [];
  readonly #titles: string[] = [];
  readonly #published: number[] = [];
  readonly #updated: number[] = [];
  readonly #files: number[] = [];
  readonly #bytes: number[] = [];
  readonly #words = new TermCollector();
  readonly #labels = new TermCollector();

  get size(): number {
    return this.#names.length;
  }

  add({ account_id, repository_id, title, published, updated, files, bytes, words, labels }: SearchEntry): void {
    const document = this.#names.length;
    this.#names.push(`${account_id}/${repository_id}`);
    this.#titles.push(title);
    this.#published.push(published);
    this.#updated.push(updated);
    this.#files.push(files);
    this.#bytes.push(bytes);
    searchFields.forEach((field, weight) => {
      for (const word of words[field]) this.#words.add(word, document, weight as Weight);
    });
    for (const label of labels) this.#labels.add(label, document, 0);
  }

  finish(): Segment {
    return {
      names: this.#names,
      titles: this.#titles,
      published: Float64Array.from(this.#published),
      updated: Float64Array.from(this.#updated),
      files: Float64Array.from(this.#files),
      bytes: Float64Array.from(this.#bytes),
      words: this.#words.finish(),
      labels: this.#labels.finish(),
    };
  }
}

/**
 * Version of the encoding of a segment. Increase it with each change of the encoding. The service rebuilds an index
 * that has another version.
 */
const version = 2;
const partNames = [
  'names',
  'titles',
  'published',
  'updated',
  'files',
  'bytes',
  'words',
  'word_starts',
  'postings',
  'labels',
  'label_starts',
  'label_postings',
] as const;
type PartName = (typeof partNames)[number];

const headerSchema = z.object({ version: z.literal(version), lengths: z.record(z.enum(partNames), z.int()) });
const headerLengthBytes = 4;
// The character between two encoded texts. Names, lower-case titles, and words cannot contain it.
const divider = '\n';

/** Encodes a segment: the length of a JSON header, the header, and then the parts. */
export function encodeSegment(segment: Segment): Buffer {
  const { names, titles, published, updated, files, bytes, words, labels } = segment;
  const parts: Record<PartName, Uint8Array> = {
    names: encodeTexts(names),
    titles: encodeTexts(titles),
    published: bytesOf(published),
    updated: bytesOf(updated),
    files: bytesOf(files),
    bytes: bytesOf(bytes),
    words: encodeTexts(words.names),
    word_starts: encodeStarts(words.starts),
    postings: words.bytes,
    labels: encodeTexts(labels.names),
    label_starts: encodeStarts(labels.starts),
    label_postings: labels.bytes,
  };
  const lengths = Object.fromEntries(partNames.map((name) => [name, parts[name].length]));
  const header = Buffer.from(JSON.stringify({ version, lengths }));
  const headerLength = Buffer.alloc(headerLengthBytes);
  headerLength.writeUInt32LE(header.length);
  return Buffer.concat([headerLength, header, ...partNames.map((name) => parts[name])]);
}

/** Decodes a segment. Throws if the data is not a segment or has another version. */
export function decodeSegment(encoded: Buffer): Segment {
  const headerEnd = headerLengthBytes + encoded.readUInt32LE();
  const { lengths } = headerSchema.parse(JSON.parse(encoded.toString('utf8', headerLengthBytes, headerEnd)));
  let at = headerEnd;
  const next = (name: PartName): Buffer => {
    const from = at;
    at += lengths[name];
    if (at > encoded.length) throw new Error('the index of the catalogue is cut off');
    return encoded.subarray(from, at);
  };
  return {
    names: decodeTexts(next('names')),
    titles: decodeTexts(next('titles')),
    published: numbersOf(next('published')),
    updated: numbersOf(next('updated')),
    files: numbersOf(next('files')),
    bytes: numbersOf(next('bytes')),
    words: { names: decodeTexts(next('words')), starts: decodeStarts(next('word_starts')), bytes: next('postings') },
    labels: {
      names: decodeTexts(next('labels')),
      starts: decodeStarts(next('label_starts')),
      bytes: next('label_postings'),
    },
  };
}

/** Writes a divider after each text, so that an empty list differs from a list with one empty text. */
function encodeTexts(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text.replaceAll(divider, ' ')}${divider}`).join(''));
}

function decodeTexts(bytes: Buffer): string[] {
  return bytes.toString('utf8').split(divider).slice(0, -1);
}

function encodeStarts(starts: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(starts.length * 5);
  let [length, before] = [0, 0];
  for (const start of starts) {
    length = writeNumber(bytes, length, start - before);
    before = start;
  }
  return bytes.subarray(0, length);
}

function decodeStarts(bytes: Uint8Array): Uint32Array {
  const starts: number[] = [];
  let [value, shift, sum] = [0, 0, 0];
  for (const byte of bytes) {
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte > 0x7f) continue;
    sum += value;
    starts.push(sum);
    [value, shift] = [0, 0];
  }
  return Uint32Array.from(starts);
}

function bytesOf(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/**
 * Returns the numbers in a buffer. Copies the bytes first, because a Float64Array must start at a multiple of eight.
 */
function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(new Uint8Array(bytes).buffer);
}
