import type { BoundedRanges } from '../../reading/ranges.ts';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { checkSignature } from '../../reading/signature.ts';

const directoriesMax = 24;
const entriesMax = 500;
/**
 * The maximum number of values that one read returns of a TIFF field. A large image has more tile offsets than this.
 */
const valuesMax = 4096;
const headBytesRead = 64 * 1024;

type Read = (view: DataView, at: number, isLittle: boolean) => number;

/** The types of values, with their width in bytes and a function that reads one value. */
const types = {
  uint8: [1, (view, at) => view.getUint8(at)],
  int8: [1, (view, at) => view.getInt8(at)],
  uint16: [2, (view, at, isLittle) => view.getUint16(at, isLittle)],
  int16: [2, (view, at, isLittle) => view.getInt16(at, isLittle)],
  uint32: [4, (view, at, isLittle) => view.getUint32(at, isLittle)],
  int32: [4, (view, at, isLittle) => view.getInt32(at, isLittle)],
  uint64: [8, (view, at, isLittle) => Number(view.getBigUint64(at, isLittle))],
  int64: [8, (view, at, isLittle) => Number(view.getBigInt64(at, isLittle))],
  float32: [4, (view, at, isLittle) => view.getFloat32(at, isLittle)],
  float64: [8, (view, at, isLittle) => view.getFloat64(at, isLittle)],
  ratio: [8, (view, at, isLittle) => view.getUint32(at, isLittle) / view.getUint32(at + 4, isLittle)],
  signedRatio: [8, (view, at, isLittle) => view.getInt32(at, isLittle) / view.getInt32(at + 4, isLittle)],
} satisfies Record<string, [width: number, read: Read]>;

/** The TIFF value type for each type number. Unknown type numbers are read as bytes. */
const typeNumbers: Readonly<Record<number, keyof typeof types>> = {
  ...{ 3: 'uint16', 4: 'uint32', 5: 'ratio', 6: 'int8', 8: 'int16', 9: 'int32', 10: 'signedRatio' },
  ...{ 11: 'float32', 12: 'float64', 13: 'uint32', 16: 'uint64', 17: 'int64', 18: 'uint64' },
};

function widthOf(type: number): number {
  return types[typeNumbers[type] ?? 'uint8'][0];
}

const tags = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planar: 284,
  predictor: 317,
  palette: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  format: 339,
  pixelScale: 33550,
  tiePoint: 33922,
  geoKeys: 34735,
  metadata: 42112,
  noData: 42113,
} as const;

type Tag = keyof typeof tags;

interface Field {
  type: number;
  count: number;
  /** The position of the field's values in the file. */
  at: number;
}

/** One image of a TIFF file. */
export class TiffDirectory {
  readonly #fields: ReadonlyMap<number, Field>;
  readonly #tiff: Tiff;

  constructor(tiff: Tiff, fields: ReadonlyMap<number, Field>) {
    this.#tiff = tiff;
    this.#fields = fields;
  }

  countOf(tag: Tag): number {
    return this.#fields.get(tags[tag])?.count ?? 0;
  }

  /**
   * Returns the first numbers of a field, or an empty list if the image has no such field. Throws PreviewRefusal if
   * there are too many numbers.
   */
  numbers(tag: Tag, countMax: number): Promise<number[]> {
    return this.numbersFrom(tag, 0, countMax);
  }

  /** Returns numbers of a field from an index on, at most up to the end of the field. */
  async numbersFrom(tag: Tag, from: number, countMax: number): Promise<number[]> {
    const field = this.#fields.get(tags[tag]);
    if (field === undefined) return [];
    const width = widthOf(field.type);
    const count = Math.max(0, Math.min(field.count - from, countMax));
    if (count > valuesMax) throw new PreviewRefusal('too-large-inside');
    const view = await this.#tiff.view(field.at + from * width, count * width);
    return Array.from({ length: count }, (_, index) => this.#tiff.number(view, index * width, field.type));
  }

  /** Returns the first number of each field, or the given default if the field is missing. */
  async firstNumbers<Name extends Tag>(defaults: Record<Name, number>): Promise<Record<Name, number>> {
    const names = Object.keys(defaults) as Name[];
    const first = async (name: Name) => [name, (await this.numbers(name, 1))[0] ?? defaults[name]] as const;
    return Object.fromEntries(await Promise.all(names.map(first))) as Record<Name, number>;
  }

  async text(tag: Tag, lengthMax = 400): Promise<string> {
    const numbers = await this.numbers(tag, lengthMax);
    return String.fromCharCode(...numbers).replace(/\0.*$/s, '');
  }
}

/** Reads the structure of a TIFF or BigTIFF file. */
export class Tiff {
  readonly #file: BoundedRanges;
  #isLittle = true;
  #isBig = false;

  constructor(file: BoundedRanges) {
    this.#file = file;
  }

  /** Returns the images of the TIFF file, up to a maximum number. Throws PreviewRefusal. */
  async directories(): Promise<TiffDirectory[]> {
    const { fileBytes } = this.#file;
    const head = await this.view(0, Math.min(fileBytes, headBytesRead));
    checkSignature('geotiff', new Uint8Array(head.buffer, head.byteOffset, head.byteLength));
    if (head.byteLength < 16) throw new PreviewRefusal('outside-the-file');
    this.#isLittle = head.getUint8(0) === 0x49;
    this.#isBig = head.getUint16(2, this.#isLittle) === 43;
    const found: TiffDirectory[] = [];
    const seen = new Set<number>();
    let at = this.#isBig ? this.number(head, 8, 16) : this.number(head, 4, 4);
    // The directories of a TIFF file are a linked list. A malicious file may link them in a cycle.
    while (at !== 0 && !seen.has(at) && found.length < directoriesMax) {
      seen.add(at);
      const { fields, next } = await this.#directory(at);
      found.push(new TiffDirectory(this, fields));
      at = next;
    }
    return found;
  }

  async #directory(start: number): Promise<{ fields: Map<number, Field>; next: number }> {
    const [countWidth, entryWidth, inlineWidth] = this.#isBig ? [8, 20, 8] : [2, 12, 4];
    const wordType = this.#isBig ? 16 : 4;
    const count = this.number(await this.view(start, countWidth), 0, this.#isBig ? 16 : 3);
    if (count > entriesMax) throw new PreviewRefusal('damaged');
    const entries = await this.view(start + countWidth, count * entryWidth + inlineWidth);
    const fields = new Map<number, Field>();
    for (let index = 0; index < count; index += 1) {
      const at = index * entryWidth;
      const type = entries.getUint16(at + 2, this.#isLittle);
      const values = this.number(entries, at + 4, wordType);
      const valueAt = at + 4 + (this.#isBig ? 8 : 4);
      const isInline = values * widthOf(type) <= inlineWidth;
      const valueStart = isInline ? start + countWidth + valueAt : this.number(entries, valueAt, wordType);
      fields.set(entries.getUint16(at, this.#isLittle), { type, count: values, at: valueStart });
    }
    return { fields, next: this.number(entries, count * entryWidth, wordType) };
  }

  async view(start: number, length: number): Promise<DataView> {
    const bytes = await this.#file.read(start, start + length);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  number(view: DataView, at: number, type: number): number {
    return types[typeNumbers[type] ?? 'uint8'][1](view, at, this.#isLittle);
  }

  get isLittle(): boolean {
    return this.#isLittle;
  }
}
