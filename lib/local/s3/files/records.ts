import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { checksumAlgorithms, checksumTypes } from '../checksums.ts';

/** A file with bytes of an object. An object's segments are in order. */
const segmentSchema = z.object({
  file: z.string(),
  size_bytes: z.int(),
  /** Base64, with the object's checksum algorithm. */
  checksum: z.string().optional(),
});
export type Segment = z.infer<typeof segmentSchema>;

const attributesSchema = z.object({
  /** Headers that reads return, by lower-case name: content-type and similar, x-amz-meta-*. */
  headers: z.record(z.string(), z.string()),
  storage_class: z.string(),
  tags: z.array(z.tuple([z.string(), z.string()])),
});
/** Attributes that a client sets beside the bytes. */
export type ObjectAttributes = z.infer<typeof attributesSchema>;

export const objectRecordSchema = attributesSchema.extend({
  key: z.string(),
  /** Without quotes. */
  etag: z.string(),
  size_bytes: z.int(),
  /** Milliseconds since the Unix epoch, whole seconds. */
  last_modified: z.int(),
  checksum: z
    .object({ algorithm: z.enum(checksumAlgorithms), type: z.enum(checksumTypes), value: z.string() })
    .optional(),
  /** True when the segments are the parts of a multipart upload. */
  is_multipart: z.boolean(),
  segments: z.array(segmentSchema),
});
export type ObjectRecord = z.infer<typeof objectRecordSchema>;

export const uploadRecordSchema = attributesSchema.extend({
  upload_id: z.string(),
  key: z.string(),
  initiated: z.int(),
  checksum: z.object({ algorithm: z.enum(checksumAlgorithms), type: z.enum(checksumTypes) }).optional(),
});
export type UploadRecord = z.infer<typeof uploadRecordSchema>;

export const partRecordSchema = segmentSchema.extend({
  part_number: z.int(),
  etag: z.string(),
  last_modified: z.int(),
  checksum_algorithm: z.enum(checksumAlgorithms).optional(),
});
export type PartRecord = z.infer<typeof partRecordSchema>;

/** Rounds to whole seconds, as S3 stores times. */
export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}

/** Writes JSON atomically: a reader, also after a crash, finds the old or the new content. */
export async function writeRecord(path: string, record: unknown): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.new`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(unfinished, JSON.stringify(record));
  await rename(unfinished, path);
}

/** Reads a stored record. Throws an error that names the file when the content is invalid. */
export async function readRecord<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new Error(`the object store cannot read ${path}; remove the data directory to start with an empty one`, {
      cause,
    });
  }
}

/** Returns all files below a directory, or none when it does not exist. */
export async function listFiles(directory: string): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Runs work on one name in sequence, and work on different names concurrently. */
export class KeyLocks {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#tails.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(name) === mine) this.#tails.delete(name);
    }
  }
}
