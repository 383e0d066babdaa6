import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type * as z from 'zod';

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
