import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { listFiles, type Segment } from './records.ts';

export type WriteBlob = (chunks: AsyncIterable<Uint8Array>) => Promise<void>;

const readBytes = 256 * 1024;

/**
 * Files that are written once and never changed. A record that names them makes them part of an object. Replacing the
 * record discards them; files that are being read stay until the last reader has closed them.
 */
export class BlobFiles {
  readonly #directory: string;
  readonly #readers = new Map<string, number>();
  readonly #discarded = new Set<string>();
  readonly #removals = new Set<Promise<void>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Deletes files that no record names, which a crash left behind. */
  async sweep(named: ReadonlySet<string>): Promise<void> {
    for (const path of await listFiles(this.#directory)) {
      if (!named.has(basename(path))) await rm(path, { force: true });
    }
  }

  /**
   * Creates a file from what `fill` writes. `fill` also puts the file's name into a record. When `fill` or its source
   * fails, no file stays.
   */
  async create<Result>(fill: (write: WriteBlob, file: string) => Promise<Result>): Promise<Result> {
    const file = randomUUID();
    const path = this.#path(file);
    await mkdir(dirname(path), { recursive: true });
    // The stream must not open the file itself: a stream destroyed while opening still creates the file.
    const handle = await open(path, 'wx');
    try {
      return await fill((chunks) => pipeline(chunks, handle.createWriteStream()), file);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  }

  /**
   * Returns `sizeBytes` bytes from `first` on. Call it in the same turn as the read of the record: from then on the
   * files stay until they are closed, so that a reader gets one version.
   */
  read(segments: readonly Segment[], first: number, sizeBytes: number): StoredBytes {
    const files = segments.map(({ file }) => file);
    for (const file of files) this.#readers.set(file, (this.#readers.get(file) ?? 0) + 1);
    const found = extents(segments, first, sizeBytes).map((extent) => ({ ...extent, file: this.#path(extent.file) }));
    return new StoredBytes(found, () => {
      for (const file of files) this.#release(file);
    });
  }

  /**
   * Reads a few bytes synchronously. Three short calls replace three switches to another thread for data that is mostly
   * in memory.
   */
  readNow(segments: readonly Segment[], first: number, sizeBytes: number): Buffer {
    const bytes = Buffer.allocUnsafe(sizeBytes);
    let filled = 0;
    for (const { file, start, end } of extents(segments, first, sizeBytes)) {
      const descriptor = openSync(this.#path(file), 'r');
      try {
        const wanted = end - start + 1;
        if (readSync(descriptor, bytes, filled, wanted, start) !== wanted) throw new Error(`${file} is cut short`);
        filled += wanted;
      } finally {
        closeSync(descriptor);
      }
    }
    return bytes;
  }

  /** Deletes files. No record may name them any more. */
  discard(files: readonly string[]): void {
    for (const file of files) {
      if (this.#readers.has(file)) this.#discarded.add(file);
      else this.#remove(file);
    }
  }

  #release(file: string): void {
    const others = (this.#readers.get(file) ?? 1) - 1;
    if (others > 0) {
      this.#readers.set(file, others);
      return;
    }
    this.#readers.delete(file);
    if (this.#discarded.delete(file)) this.#remove(file);
  }

  #remove(file: string): void {
    const removal = rm(this.#path(file), { force: true })
      // The sweep of the next start deletes files that cannot be deleted now.
      .catch(() => {})
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  /** Resolves when all discarded files are deleted from the disk. */
  async settle(): Promise<void> {
    await Promise.all(this.#removals);
  }

  #path(file: string): string {
    return join(this.#directory, file.slice(0, 2), file);
  }
}

/** Bytes of an object, read once. The caller closes them in any case. */
export class StoredBytes {
  readonly #extents: readonly Extent[];
  readonly #pieces = this.#readPieces();
  #release: (() => void) | undefined;

  constructor(extents: readonly Extent[], release: () => void) {
    this.#extents = extents;
    this.#release = release;
  }

  close(): void {
    // Closes the open file.
    void this.#pieces.return();
    this.#release?.();
    this.#release = undefined;
  }

  /** Yields chunks that stay unchanged. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of this.#pieces) yield Buffer.from(piece);
  }

  /**
   * Writes all bytes to `target` at the pace of `target`, and leaves it open.
   *
   * @throws ReaderClosed when `target` closes early, or the read error
   */
  async sendTo(target: Writable): Promise<void> {
    let written = Promise.resolve();
    for await (const piece of this.#pieces) {
      await written;
      written = write(target, piece);
    }
    await written;
  }

  /**
   * Yields chunks, each valid until the next but one is requested: two buffers alternate. With a new buffer for each
   * chunk, V8 collects the whole heap every 32 MiB, which takes longer than the rest.
   */
  async *#readPieces(): AsyncGenerator<Uint8Array, void, void> {
    let [free, inUse] = [Buffer.allocUnsafeSlow(readBytes), Buffer.allocUnsafeSlow(readBytes)];
    for (const { file, start, end } of this.#extents) {
      const handle = await open(file, 'r');
      try {
        for (let position = start; position <= end; ) {
          const wanted = Math.min(readBytes, end + 1 - position);
          const { bytesRead } = await handle.read(free, 0, wanted, position);
          if (bytesRead === 0) throw new Error(`${file} is cut short`);
          yield free.subarray(0, bytesRead);
          [free, inUse] = [inUse, free];
          position += bytesRead;
        }
      } finally {
        await handle.close();
      }
    }
  }
}

/** The reader or its connection closed. */
export class ReaderClosed extends Error {
  constructor(options: { cause: unknown }) {
    super('the reader went away in the midst of an answer', options);
    this.name = 'ReaderClosed';
  }
}

/** Settles when the buffer may be overwritten. */
function write(target: Writable, bytes: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // A pending write on a closed connection never calls back.
  const onClose = (cause?: unknown) => reject(new ReaderClosed({ cause }));
  target.once('close', onClose);
  target.write(bytes, (error) => (error ? onClose(error) : resolve()));
  // It may fail before anything awaits it.
  promise.catch(() => undefined).finally(() => target.off('close', onClose));
  return promise;
}

interface Extent {
  /** Name in a segment, path for the reader. */
  file: string;
  /** Position in the file, both ends included. */
  start: number;
  end: number;
}

/** Returns the file ranges that hold `sizeBytes` bytes from `first` on. */
function extents(segments: readonly Segment[], first: number, sizeBytes: number): Extent[] {
  const found: Extent[] = [];
  let skipped = first;
  let missing = sizeBytes;
  for (const { file, size_bytes } of segments) {
    if (missing === 0) break;
    const taken = Math.min(missing, size_bytes - skipped);
    if (taken <= 0) {
      skipped -= size_bytes;
      continue;
    }
    found.push({ file, start: skipped, end: skipped + taken - 1 });
    skipped = 0;
    missing -= taken;
  }
  return found;
}
