import { randomUUID } from 'node:crypto';
import { appendFileSync, createReadStream, openSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { checksumAlgorithms, checksumTypes } from './checksums.ts';
import { ObjectStoreError } from './errors.ts';

const attributesSchema = z.object({
  /**
   * The headers that reads of the object return, by lower-case name: `content-type` and similar ones, and
   * `x-amz-meta-*`.
   */
  headers: z.record(z.string(), z.string()),
  storage_class: z.string(),
  tags: z.array(z.tuple([z.string(), z.string()])),
});
/** The attributes of an object that a client can set. */
export type ObjectAttributes = z.infer<typeof attributesSchema>;

const algorithmSchema = z.object({ algorithm: z.enum(checksumAlgorithms) });

const storedSchema = z.object({
  file: z.string(),
  size_bytes: z.int(),
  /** The ETag without quotes. */
  etag: z.string(),
  /** The time of the last change in milliseconds since the Unix epoch, rounded to whole seconds. */
  last_modified: z.int(),
});

const objectSchema = z.object({
  ...attributesSchema.shape,
  ...storedSchema.shape,
  key: z.string(),
  checksum: algorithmSchema.extend({ type: z.enum(checksumTypes), value: z.string() }).optional(),
  /** The parts in their order, for an object from a multipart upload. */
  parts: z.array(z.object({ size_bytes: z.int(), checksum: z.string().optional() })).optional(),
});
export type ObjectRecord = z.infer<typeof objectSchema>;

const uploadSchema = attributesSchema.extend({
  upload_id: z.string(),
  key: z.string(),
  initiated: z.int(),
  checksum: algorithmSchema.extend({ type: z.enum(checksumTypes) }).optional(),
});
export type UploadRecord = z.infer<typeof uploadSchema>;

const partSchema = storedSchema.extend({
  upload_id: z.string(),
  part_number: z.int(),
  checksum: algorithmSchema.extend({ value: z.string() }).optional(),
});
export type PartRecord = z.infer<typeof partSchema>;

/** A multipart upload in progress. */
export interface Upload {
  readonly record: UploadRecord;
  /** The uploaded parts, by part number. */
  readonly parts: Map<number, PartRecord>;
}

const changeSchema = z
  .strictObject({
    object: objectSchema,
    deletedKey: z.string(),
    upload: uploadSchema,
    part: partSchema,
    endedUploadId: z.string(),
  })
  .partial();
type Change = z.infer<typeof changeSchema>;

/** Checks the current object at the moment of a change. To refuse the change, it throws. */
export type CheckCurrent = (current: ObjectRecord | undefined) => void;

export type WriteBlob = (chunks: AsyncIterable<Uint8Array>) => Promise<void>;

/**
 * A bucket that is stored on disk. Each line of `index.jsonl` is one change of a record. Each file in `blobs/` contains
 * the bytes of one object or part. All records are also in memory. Records are changed synchronously, so no locks are
 * needed.
 */
export class Bucket {
  readonly name: string;
  readonly #index: string;
  readonly #blobs: string;
  readonly #objects = new Map<string, ObjectRecord>();
  readonly #uploads = new Map<string, Upload>();
  #sorted: readonly ObjectRecord[] | undefined;

  private constructor(name: string, directory: string) {
    this.name = name;
    this.#index = join(directory, 'index.jsonl');
    this.#blobs = join(directory, 'blobs');
  }

  /** Loads the records of an earlier run. Deletes files that belong to no record. */
  static async open(name: string, directory: string): Promise<Bucket> {
    const bucket = new Bucket(name, directory);
    await mkdir(bucket.#blobs, { recursive: true });
    await bucket.#load();
    const records = [...bucket.#objects.values(), ...[...bucket.#uploads.values()].flatMap(partsOf)];
    const named = new Set(records.map(({ file }) => file));
    for (const file of await readdir(bucket.#blobs)) if (!named.has(file)) await rm(join(bucket.#blobs, file));
    return bucket;
  }

  async #load(): Promise<void> {
    const text = await readFile(this.#index, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    try {
      // After a crash, the last line may be incomplete, so it is ignored.
      for (const line of text.split('\n').slice(0, -1)) this.#apply(changeSchema.parse(JSON.parse(line)));
    } catch (cause) {
      const sentence = `the object store cannot read ${this.#index}; remove the data directory to start with an empty one`;
      throw new Error(sentence, { cause });
    }
    const uploads = [...this.#uploads.values()];
    const changes: Change[] = [
      ...[...this.#objects.values()].map((object) => ({ object })),
      ...uploads.map(({ record }) => ({ upload: record })),
      ...uploads.flatMap(partsOf).map((part) => ({ part })),
    ];
    await writeFile(`${this.#index}.new`, changes.map(lineOf).join(''));
    await rename(`${this.#index}.new`, this.#index);
  }

  #commit(change: Change): void {
    appendFileSync(this.#index, lineOf(change));
    this.#apply(change);
  }

  #apply({ object, deletedKey = '', upload, part, endedUploadId = '' }: Change): void {
    if (object !== undefined) this.#objects.set(object.key, object);
    this.#objects.delete(deletedKey);
    if (object !== undefined || deletedKey !== '') this.#sorted = undefined;
    if (upload !== undefined) this.#uploads.set(upload.upload_id, { record: upload, parts: new Map() });
    if (part !== undefined) this.#uploads.get(part.upload_id)?.parts.set(part.part_number, part);
    this.#uploads.delete(endedUploadId);
  }

  get(key: string): ObjectRecord | undefined {
    return this.#objects.get(key);
  }

  /** Returns the objects in the order in which S3 lists them: by the UTF-8 bytes of their keys. */
  objects(): readonly ObjectRecord[] {
    this.#sorted ??= [...this.#objects.values()].sort((a, b) => compareKeys(a.key, b.key));
    return this.#sorted;
  }

  /** Returns the uploads in progress. They are sorted by key, and uploads of one key by age. */
  uploads(): UploadRecord[] {
    return [...this.#uploads.values()]
      .map(({ record }) => record)
      .sort((a, b) => compareKeys(a.key, b.key) || compareKeys(a.upload_id, b.upload_id));
  }

  /** Stores the record as the object for its key. When `check` throws, nothing is changed. */
  put(object: ObjectRecord, check: CheckCurrent, also: Change = {}): void {
    const current = this.get(object.key);
    check(current);
    this.#commit({ object, ...also });
    if (current?.file !== object.file) this.#discard([current]);
  }

  delete(key: string, check: CheckCurrent): void {
    const current = this.get(key);
    check(current);
    if (current === undefined) return;
    this.#commit({ deletedKey: key });
    this.#discard([current]);
  }

  createUpload(upload: UploadRecord): void {
    this.#commit({ upload });
  }

  /** Returns an upload in progress. Throws NoSuchUpload if there is none, or if it is for another key. */
  loadUpload(uploadId: string, key: string): Upload {
    const upload = this.#uploads.get(uploadId);
    if (upload?.record.key === key) return upload;
    throw new ObjectStoreError(
      'NoSuchUpload',
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
      { UploadId: uploadId },
    );
  }

  putPart(part: PartRecord, key: string): void {
    const replaced = this.loadUpload(part.upload_id, key).parts.get(part.part_number);
    this.#commit({ part });
    this.#discard([replaced]);
  }

  abortUpload(uploadId: string, key: string): void {
    const upload = this.loadUpload(uploadId, key);
    this.#commit({ endedUploadId: uploadId });
    this.#discard(partsOf(upload));
  }

  /**
   * Completes an upload. `finish` stores the object and removes the upload in one change. While `finish` runs, other
   * requests do not find the upload. When `finish` throws, the upload is available again.
   */
  async completeUpload<Result>(
    uploadId: string,
    key: string,
    finish: (upload: Upload) => Promise<Result>,
  ): Promise<Result> {
    const upload = this.loadUpload(uploadId, key);
    this.#uploads.delete(uploadId);
    try {
      const result = await finish(upload);
      this.#discard(partsOf(upload));
      return result;
    } catch (error) {
      this.#uploads.set(uploadId, upload);
      throw error;
    }
  }

  /**
   * Creates a file with the bytes that `fill` writes. `fill` must also store the file's name in a record. When `fill`
   * or the source of its bytes fails, the file is deleted.
   */
  async createBlob<Result>(fill: (write: WriteBlob, file: string) => Promise<Result>): Promise<Result> {
    const file = randomUUID();
    // Open the file here and not in the stream. A stream that is destroyed while it opens still creates the file.
    const handle = await open(join(this.#blobs, file), 'wx');
    try {
      return await fill((chunks) => pipeline(chunks, handle.createWriteStream()), file);
    } catch (error) {
      this.#discard([{ file }]);
      throw error;
    } finally {
      await handle.close();
    }
  }

  read({ file, size_bytes }: { file: string; size_bytes: number }, first = 0, sizeBytes = size_bytes): StoredBytes {
    return new StoredBytes(join(this.#blobs, file), first, sizeBytes);
  }

  /**
   * Deletes files that no record refers to any more. A reader that has already opened such a file can read it to its
   * end.
   */
  #discard(records: readonly ({ file: string } | undefined)[]): void {
    for (const record of records) if (record !== undefined) rmSync(join(this.#blobs, record.file), { force: true });
  }
}

/**
 * The bytes of a file. The file is opened at once, so a reader never gets bytes of a later version. The caller must
 * read the bytes once, or close them.
 */
export class StoredBytes {
  readonly #stream: ReturnType<typeof createReadStream>;
  readonly #sizeBytes: number;

  constructor(path: string, first: number, sizeBytes: number) {
    const end = first + Math.max(sizeBytes, 1) - 1;
    this.#stream = createReadStream(path, { fd: openSync(path, 'r'), start: first, end });
    this.#sizeBytes = sizeBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of this.#stream) yield chunk;
    if (this.#stream.bytesRead !== this.#sizeBytes) throw new Error(`${this.#stream.path} is cut short`);
  }

  close(): void {
    this.#stream.destroy();
  }
}

function partsOf({ parts }: Upload): PartRecord[] {
  return [...parts.values()];
}

function lineOf(change: Change): string {
  return `${JSON.stringify(change)}\n`;
}

/**
 * Compares keys by their UTF-8 bytes. JavaScript's own comparison differs, because it sorts surrogates before the last
 * characters of the basic plane.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA === unitB) continue;
    const isSurrogateA = (unitA & 0xf800) === 0xd800;
    const isSurrogateB = (unitB & 0xf800) === 0xd800;
    return isSurrogateA === isSurrogateB ? unitA - unitB : isSurrogateA ? 1 : -1;
  }
  return a.length - b.length;
}

/** Rounds down to whole seconds, because S3 stores times with this precision. */
export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
