import { hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobFiles } from './files/blob-files.ts';
import {
  KeyLocks,
  listFiles,
  type ObjectRecord,
  objectRecordSchema,
  readRecord,
  writeRecord,
} from './files/records.ts';
import { SortedRecords } from './files/sorted-records.ts';
import { Uploads } from './uploads/uploads.ts';

/** Checks the current object at the moment of a change. Throws to refuse the change. */
export type CheckCurrent = (current: ObjectRecord | undefined) => void;

/**
 * One bucket on disk. `objects/` has a record for each key, named by the key's hash, because keys are not valid file
 * names. `blobs/` has the bytes, and `uploads/` the uploads in progress. All records are in memory as well.
 */
export class Bucket {
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  readonly blobs: BlobFiles;
  readonly uploads: Uploads;
  readonly #objects = new SortedRecords<ObjectRecord>();
  readonly #locks = new KeyLocks();
  readonly #directory: string;

  private constructor(name: string, created: number, directory: string) {
    this.name = name;
    this.created = created;
    this.#directory = join(directory, 'objects');
    this.blobs = new BlobFiles(join(directory, 'blobs'));
    this.uploads = new Uploads(join(directory, 'uploads'), this.blobs, this.#locks);
  }

  /** Loads the records of an earlier run, and deletes files that no record names. */
  static async open(name: string, directory: string, now: number): Promise<Bucket> {
    const bucket = new Bucket(name, now, directory);
    const named = new Set<string>();
    for (const path of await listFiles(bucket.#directory)) {
      if (!path.endsWith('.json')) {
        await rm(path);
        continue;
      }
      const record = await readRecord(path, objectRecordSchema);
      for (const { file } of record.segments) named.add(file);
      bucket.#objects.set(record);
    }
    for (const file of await bucket.uploads.open(named)) named.add(file);
    await bucket.blobs.sweep(named);
    return bucket;
  }

  get objects(): Pick<SortedRecords<ObjectRecord>, 'get' | 'at' | 'indexOfFirst'> {
    return this.#objects;
  }

  /** Stores the record as the key's object. When `check` throws, nothing changes. */
  async put(record: ObjectRecord, check: CheckCurrent): Promise<void> {
    await this.#locks.run(`key ${record.key}`, async () => {
      const current = this.#objects.get(record.key);
      check(current);
      await writeRecord(this.#path(record.key), record);
      this.#objects.set(record);
      this.#discard(current);
    });
  }

  /** Changes the attributes of an object and keeps its bytes. `change` throws when there is no object. */
  async change(key: string, change: (current: ObjectRecord | undefined) => ObjectRecord): Promise<void> {
    await this.#locks.run(`key ${key}`, async () => {
      const record = change(this.#objects.get(key));
      await writeRecord(this.#path(key), record);
      this.#objects.set(record);
    });
  }

  async delete(key: string, check: CheckCurrent): Promise<void> {
    await this.#locks.run(`key ${key}`, async () => {
      const current = this.#objects.get(key);
      check(current);
      if (current === undefined) return;
      await rm(this.#path(key));
      this.#objects.delete(key);
      this.#discard(current);
    });
  }

  #discard(replaced: ObjectRecord | undefined): void {
    if (replaced !== undefined) this.blobs.discard(replaced.segments.map(({ file }) => file));
  }

  #path(key: string): string {
    const name = hash('sha256', key, 'hex');
    return join(this.#directory, name.slice(0, 2), name.slice(2, 4), `${name}.json`);
  }
}
