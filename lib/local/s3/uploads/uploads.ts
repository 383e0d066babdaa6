import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ObjectStoreError } from '../errors.ts';
import type { BlobFiles } from '../files/blob-files.ts';
import {
  type KeyLocks,
  listFiles,
  type PartRecord,
  partRecordSchema,
  readRecord,
  type UploadRecord,
  uploadRecordSchema,
  writeRecord,
} from '../files/records.ts';
import { compareKeys } from '../files/sorted-records.ts';

export interface Upload {
  readonly record: UploadRecord;
  /** By part number. */
  readonly parts: Map<number, PartRecord>;
}

const uploadFile = 'upload.json';

/** Multipart uploads of one bucket that are in progress: a folder for each, with a file for each part. */
export class Uploads {
  readonly #directory: string;
  readonly #blobs: BlobFiles;
  readonly #locks: KeyLocks;
  readonly #uploads = new Map<string, Upload>();

  constructor(directory: string, blobs: BlobFiles, locks: KeyLocks) {
    this.#directory = directory;
    this.#blobs = blobs;
    this.#locks = locks;
  }

  /**
   * Loads the uploads and returns the files of their parts. Drops an upload whose parts belong to an object: it
   * completed just before a crash.
   */
  async open(filesOfObjects: ReadonlySet<string>): Promise<string[]> {
    const paths = await listFiles(this.#directory);
    for (const path of paths.filter((name) => basename(name) === uploadFile)) {
      const record = await readRecord(path, uploadRecordSchema);
      this.#uploads.set(record.upload_id, { record, parts: new Map() });
    }
    for (const path of paths.filter((name) => /^\d+\.json$/.test(basename(name)))) {
      const part = await readRecord(path, partRecordSchema);
      this.#uploads.get(basename(dirname(path)))?.parts.set(part.part_number, part);
    }
    for (const [id, { parts }] of this.#uploads) {
      if (![...parts.values()].some(({ file }) => filesOfObjects.has(file))) continue;
      this.#uploads.delete(id);
      await rm(join(this.#directory, id), { recursive: true });
    }
    return [...this.#uploads.values()].flatMap(({ parts }) => [...parts.values()].map(({ file }) => file));
  }

  /** Sorted by key, then by age. */
  list(): UploadRecord[] {
    return [...this.#uploads.values()]
      .map(({ record }) => record)
      .sort((a, b) => compareKeys(a.key, b.key) || compareKeys(a.upload_id, b.upload_id));
  }

  async create(record: UploadRecord): Promise<void> {
    await writeRecord(this.#path(record.upload_id, uploadFile), record);
    this.#uploads.set(record.upload_id, { record, parts: new Map() });
  }

  /** Throws NoSuchUpload, also for an upload of another key. */
  loadUpload(uploadId: string, key: string): Upload {
    const upload = this.#uploads.get(uploadId);
    if (upload?.record.key === key) return upload;
    throw new ObjectStoreError(
      'NoSuchUpload',
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
      { UploadId: uploadId },
    );
  }

  async putPart(uploadId: string, key: string, part: PartRecord): Promise<void> {
    await this.#locks.run(`upload ${uploadId}`, async () => {
      const { parts } = this.loadUpload(uploadId, key);
      const replaced = parts.get(part.part_number);
      await writeRecord(this.#path(uploadId, `${part.part_number}.json`), part);
      parts.set(part.part_number, part);
      if (replaced !== undefined) this.#blobs.discard([replaced.file]);
    });
  }

  /** Ends an upload after `finish`, which returns the files to keep. When `finish` throws, the upload stays. */
  async end(uploadId: string, key: string, finish: (upload: Upload) => Promise<ReadonlySet<string>>): Promise<void> {
    await this.#locks.run(`upload ${uploadId}`, async () => {
      const upload = this.loadUpload(uploadId, key);
      const stored = await finish(upload);
      this.#uploads.delete(uploadId);
      await rm(this.#path(uploadId), { recursive: true, force: true });
      const files = [...upload.parts.values()].map(({ file }) => file);
      this.#blobs.discard(files.filter((file) => !stored.has(file)));
    });
  }

  #path(...names: string[]): string {
    return join(this.#directory, ...names);
  }
}
