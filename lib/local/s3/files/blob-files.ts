import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { listFiles } from './record-files.ts';
import type { Segment } from './records.ts';

export type WriteBlob = (chunks: AsyncIterable<Uint8Array>) => Promise<void>;

const readBytes = 256 * 1024;

/**
 * Files that are written once and never changed. A record that names them makes them part of an object; replacing the
 * record discards them, and those that somebody is reading stay until the last reader has gone.
 */
export class BlobFiles {
  readonly #directory: string;
  readonly #readers = new Map<string, number>();
  readonly #discarded = new Set<string>();
  readonly #removals = new Set<Promise<void>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Removes what a crash left behind: every file that no record names. */
  async sweep(named: ReadonlySet<string>): Promise<void> {
    for (const path of await listFiles(this.#directory)) {
      if (!named.has(basename(path))) await rm(path, { force: true });
    }
  }

  /**
   * Makes a new file of what `fill` writes; `fill` also puts its name into a record. When `fill` throws, or its source
   * breaks off, nothing is left.
   */
  async create<Result>(fill: (write: WriteBlob, file: string) => Promise<Result>): Promise<Result> {
    const file = randomUUID();
    const path = this.#path(file);
    await mkdir(dirname(path), { recursive: true });
    // Opened here and not by the stream: one that is destroyed while it opens makes its file after all.
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
   * The bytes from `first` on, `sizeBytes` of them. Call it in the same turn in which the record was looked up: from
   * then on the files stay until they are closed, so that a reader has the whole of one version.
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
   * The same at once, for few bytes: three short calls, where a stream would hand three times over to another thread
   * for what the system mostly has in memory.
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

  /** Only for files that no record names any more. */
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
      // What cannot be removed now goes in the sweep of the next start.
      .catch(() => {})
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  /** Resolves when what has been discarded so far is gone from the disk. */
  async settle(): Promise<void> {
    await Promise.all(this.#removals);
  }

  #path(file: string): string {
    return join(this.#directory, file.slice(0, 2), file);
  }
}

/** Bytes of an object, read once. The caller closes them, read or not. */
export class StoredBytes {
  readonly #extents: readonly Extent[];
  readonly #pieces = this.#readPieces();
  #first: Promise<IteratorResult<Uint8Array, void>> | undefined;
  #release: (() => void) | undefined;

  constructor(extents: readonly Extent[], release: () => void) {
    this.#extents = extents;
    this.#release = release;
  }

  close(): void {
    // Closes the file that is open.
    void this.#pieces.return();
    this.#release?.();
    this.#release = undefined;
  }

  /** In pieces that stay as they are. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of this.#pieces) yield Buffer.from(piece);
  }

  /** Reads the first bytes; throws what that fails with. */
  async prepare(): Promise<void> {
    await this.#readFirst();
  }

  /**
   * Writes all of it to `target`, at whose pace it is read, and leaves `target` open.
   *
   * @throws ReaderGone when `target` closes before it has everything, and what reading fails with
   */
  async sendTo(target: Writable): Promise<void> {
    let written = Promise.resolve();
    for (let piece = await this.#readFirst(); piece.done !== true; piece = await this.#pieces.next()) {
      await written;
      written = write(target, piece.value);
    }
    await written;
  }

  #readFirst(): Promise<IteratorResult<Uint8Array, void>> {
    this.#first ??= this.#pieces.next();
    return this.#first;
  }

  /**
   * Pieces of which each is good until the one after the next is asked for: two buffers take turns. With new ones for
   * every piece V8 would collect the whole heap every 32 MiB, which takes longer than all else.
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

/** Whoever was to take bytes has gone, or its connection has. */
export class ReaderGone extends Error {
  constructor(options: { cause: unknown }) {
    super('the reader went away in the midst of an answer', options);
    this.name = 'ReaderGone';
  }
}

/** Settles when the bytes may change again. */
function write(target: Writable, bytes: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // A write that waits for another answer on the same connection is forgotten with it.
  const onClose = (cause?: unknown) => reject(new ReaderGone({ cause }));
  target.once('close', onClose);
  target.write(bytes, (error) => (error ? onClose(error) : resolve()));
  // It may fail while nobody waits for it yet.
  promise.catch(() => undefined).finally(() => target.off('close', onClose));
  return promise;
}

interface Extent {
  /** Its name in a segment, its path for whoever reads it. */
  file: string;
  /** In the file, both ends included. */
  start: number;
  end: number;
}

/** Where `sizeBytes` bytes from `first` on lie. */
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
