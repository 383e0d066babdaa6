import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, createReadStream, openSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { countBefore } from '../../domain/binary-search.ts';
import { checksumAlgorithms, checksumTypes } from './checksums.ts';
import { ObjectStoreError } from './errors.ts';

const attributesSchema = z.object({
  /** The headers that reads of the object return, by lower-case name, such as `content-type` and `x-amz-meta-*`. */
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

const versionShape = {
  key: z.string(),
  /** `null` for a version that was stored while versioning was not enabled. */
  version_id: z.string(),
  /** The position of a version among the versions of its key. Later versions have a greater text. */
  order: z.string(),
};

const objectSchema = z.object({
  ...attributesSchema.shape,
  ...storedSchema.shape,
  ...versionShape,
  checksum: algorithmSchema.extend({ type: z.enum(checksumTypes), value: z.string() }).optional(),
  /** The parts in their order, for an object from a multipart upload. */
  parts: z.array(z.object({ size_bytes: z.int(), checksum: z.string().optional() })).optional(),
});
export type ObjectRecord = z.infer<typeof objectSchema>;
/** An object before the bucket stores it as a version. */
export type NewObject = Omit<ObjectRecord, 'version_id' | 'order'>;

const deleteMarkerSchema = z.object({ ...versionShape, is_delete_marker: z.literal(true), last_modified: z.int() });
export type DeleteMarker = z.infer<typeof deleteMarkerSchema>;
export type VersionRecord = ObjectRecord | DeleteMarker;

export function isDeleteMarker(version: VersionRecord): version is DeleteMarker {
  return 'is_delete_marker' in version;
}

const versioningSchema = z.enum(['Enabled', 'Suspended']);
/** The state of a bucket's versioning. Undefined if versioning was never enabled. */
export type Versioning = z.infer<typeof versioningSchema> | undefined;

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
    versioning: versioningSchema,
    removed: z.object({ key: z.string(), version_id: z.string() }),
    version: z.union([deleteMarkerSchema, objectSchema]),
    /** The change of a record that replaces the tags of a version. */
    changed: objectSchema,
    upload: uploadSchema,
    part: partSchema,
    endedUploadId: z.string(),
  })
  .partial();
type Change = z.infer<typeof changeSchema>;

/** Checks the current object at the moment of a change. Throws an error to refuse the change. */
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
  /** The versions of each key, with the newest one first. */
  readonly #versions = new Map<string, VersionRecord[]>();
  readonly #uploads = new Map<string, Upload>();
  #sorted: VersionRecord[] | undefined;
  #versioning: Versioning;
  #newest = 0;

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
    const records = [...bucket.versions(), ...[...bucket.#uploads.values()].flatMap(partsOf)];
    const named = new Set(records.map((record) => ('file' in record ? record.file : undefined)));
    for (const file of await readdir(bucket.#blobs)) if (!named.has(file)) await rm(join(bucket.#blobs, file));
    return bucket;
  }

  async #load(): Promise<void> {
    const text = await readFile(this.#index, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    try {
      // Ignore an incomplete last line, which a crash can leave.
      for (const line of text.split('\n').slice(0, -1)) this.#apply(changeSchema.parse(JSON.parse(line)));
    } catch (cause) {
      const sentence = `the object store cannot read ${this.#index}; remove the data directory to start with an empty one`;
      throw new Error(sentence, { cause });
    }
    const uploads = [...this.#uploads.values()];
    const changes: Change[] = [
      ...(this.#versioning === undefined ? [] : [{ versioning: this.#versioning }]),
      ...this.versions()
        .toReversed()
        .map((version) => ({ version })),
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

  #apply({ versioning, removed, version, changed, upload, part, endedUploadId = '' }: Change): void {
    if (versioning !== undefined) this.#versioning = versioning;
    if (removed !== undefined) {
      const left = this.#versionsOf(removed.key).filter(({ version_id }) => version_id !== removed.version_id);
      if (left.length > 0) this.#versions.set(removed.key, left);
      else this.#versions.delete(removed.key);
    }
    if (version !== undefined) {
      this.#newest = Math.max(this.#newest, Number.parseInt(version.order.slice(0, orderLength), 36));
      this.#versions.set(version.key, [version, ...this.#versionsOf(version.key)]);
    }
    if (changed !== undefined) {
      const others = this.#versionsOf(changed.key);
      this.#versions.set(
        changed.key,
        others.map((one) => (one.order === changed.order ? changed : one)),
      );
    }
    if ((removed ?? changed) !== undefined) this.#sorted = undefined;
    else if (version !== undefined && this.#sorted !== undefined) {
      const { key } = version;
      // Insert the version before the older versions of its key.
      this.#sorted.splice(
        countBefore(this.#sorted, (other) => compareKeys(other.key, key) < 0),
        0,
        version,
      );
    }
    if (upload !== undefined) this.#uploads.set(upload.upload_id, { record: upload, parts: new Map() });
    if (part !== undefined) this.#uploads.get(part.upload_id)?.parts.set(part.part_number, part);
    this.#uploads.delete(endedUploadId);
  }

  get versioning(): Versioning {
    return this.#versioning;
  }

  setVersioning(versioning: Exclude<Versioning, undefined>): void {
    this.#commit({ versioning });
  }

  #versionsOf(key: string): readonly VersionRecord[] {
    return this.#versions.get(key) ?? [];
  }

  /** Returns the newest version of a key, or the version with the given ID. */
  findVersion(key: string, versionId?: string): VersionRecord | undefined {
    const versions = this.#versionsOf(key);
    return versionId === undefined ? versions[0] : versions.find(({ version_id }) => version_id === versionId);
  }

  /** Returns the current object of a key. Returns undefined if the newest version is a delete marker. */
  get(key: string): ObjectRecord | undefined {
    const newest = this.findVersion(key);
    return newest === undefined || isDeleteMarker(newest) ? undefined : newest;
  }

  /**
   * Returns all versions in the order in which S3 lists them. Keys are sorted by their UTF-8 bytes. The versions of one
   * key are sorted with the newest first.
   */
  versions(): readonly VersionRecord[] {
    this.#sorted ??= [...this.#versions].sort(([a], [b]) => compareKeys(a, b)).flatMap(([, versions]) => versions);
    return this.#sorted;
  }

  /** Returns the current objects, sorted by the UTF-8 bytes of their keys. */
  objects(): readonly ObjectRecord[] {
    return this.versions().filter(
      (one): one is ObjectRecord => !isDeleteMarker(one) && this.findVersion(one.key) === one,
    );
  }

  /** Returns the uploads in progress. They are sorted by key, and uploads of one key by age. */
  uploads(): UploadRecord[] {
    return [...this.#uploads.values()]
      .map(({ record }) => record)
      .sort((a, b) => compareKeys(a.key, b.key) || compareKeys(a.upload_id, b.upload_id));
  }

  /** Stores an object as the newest version of its key. When `check` throws, nothing is changed. */
  put(object: NewObject, check: CheckCurrent, also: Change = {}): ObjectRecord {
    check(this.get(object.key));
    const version = { ...object, ...this.#nextVersion() };
    this.#add(version, also);
    return version;
  }

  /** Replaces the tags of a version. */
  setTags(object: ObjectRecord, tags: ObjectAttributes['tags']): void {
    this.#commit({ changed: { ...object, tags } });
  }

  /**
   * Deletes the current object of a key. After versioning was enabled once, adds a delete marker and returns it, even
   * if the key has no object.
   */
  delete(key: string, check: CheckCurrent, last_modified: number): DeleteMarker | undefined {
    const current = this.get(key);
    check(current);
    if (this.#versioning === undefined) {
      if (current !== undefined) this.deleteVersion(current);
      return undefined;
    }
    const marker: DeleteMarker = { key, is_delete_marker: true, last_modified, ...this.#nextVersion() };
    this.#add(marker);
    return marker;
  }

  deleteVersion(version: VersionRecord): void {
    this.#commit({ removed: { key: version.key, version_id: version.version_id } });
    this.#discard([version]);
  }

  #nextVersion(): { version_id: string; order: string } {
    const place = (this.#newest + 1).toString(36).padStart(orderLength, '0');
    const order = `${place}${randomBytes(12).toString('hex')}`;
    return { version_id: this.#versioning === 'Enabled' ? order : 'null', order };
  }

  /** Adds the newest version of a key. It replaces a version with the same ID, which only the ID `null` can have. */
  #add(version: VersionRecord, also: Change = {}): void {
    const replaced = this.findVersion(version.key, version.version_id);
    const removed = replaced && { key: replaced.key, version_id: replaced.version_id };
    this.#commit({ version, ...(removed && { removed }), ...also });
    this.#discard([replaced]);
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
   * Creates a file with the bytes that `fill` writes. `fill` must store the file's name in a record. When `fill` or the
   * source of its bytes fails, the file is deleted.
   */
  async createBlob<Result>(fill: (write: WriteBlob, file: string) => Promise<Result>): Promise<Result> {
    const file = randomUUID();
    // Open the file before the stream is created. A stream that is destroyed while it opens its file would still create
    // the file.
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
  #discard(records: readonly (VersionRecord | { file: string } | undefined)[]): void {
    for (const record of records)
      if (record !== undefined && 'file' in record) rmSync(join(this.#blobs, record.file), { force: true });
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

/** The number of characters at the start of `order` that count the versions of a bucket. */
const orderLength = 10;

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

/** Rounds a time down to whole seconds, because S3 stores times with this precision. */
export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
