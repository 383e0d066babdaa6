import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { Bucket } from '../../lib/local/s3/bucket.ts';

export interface SparseFile {
  byteLength: number;
  /** The stored contents with their positions. All other bytes of the object are zeros. */
  parts: { at: number; bytes: Uint8Array }[];
}

/** Returns the bytes of a range. */
export function readSparse({ parts }: SparseFile, start: number, end: number): Uint8Array {
  const out = new Uint8Array(end - start);
  for (const { at, bytes } of parts) {
    const from = Math.max(start, at);
    const to = Math.min(end, at + bytes.byteLength);
    if (from < to) out.set(bytes.subarray(from - at, to - at), from - start);
  }
  return out;
}

/** Stores an object of any size in the directory of a service that starts later. */
export async function putSparseObject(dataDirectory: string, key: string, file: SparseFile): Promise<void> {
  const directory = path.join(dataDirectory, 'objects', 'local-store');
  await mkdir(directory, { recursive: true });
  const bucket = await Bucket.open('local-store', directory);
  await bucket.createBlob(async (_, name) => {
    bucket.put(
      {
        key,
        etag: 'd41d8cd98f00b204e9800998ecf8427e',
        size_bytes: file.byteLength,
        last_modified: 0,
        headers: { 'content-type': 'binary/octet-stream' },
        storage_class: 'STANDARD',
        tags: [],
        file: name,
      },
      () => undefined,
    );
    const blob = await open(path.join(directory, 'blobs', name), 'r+');
    try {
      for (const { at, bytes } of file.parts) await blob.write(bytes, 0, bytes.byteLength, at);
      await blob.truncate(file.byteLength);
    } finally {
      await blob.close();
    }
  });
}
