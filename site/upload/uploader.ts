import { Slots } from '../data/concurrency.ts';
import { type DataError, isDataError } from '../data/data-error.ts';
import type { PlannedFile } from './chosen-files.ts';
import {
  abandonUpload,
  type Confirmation,
  type FileUpload,
  type FileUploadServices,
  isSentWhole,
  uploadFile,
} from './file-upload.ts';
import type { RecordName } from './upload-records.ts';

/**
 * The maximum number of concurrent requests with file data. Browsers open six HTTP/1.1 connections per host, so some
 * stay free for other requests.
 */
const uploadSlotsMax = 5;

/** The number of workers that upload all files in order, and the number of workers that upload only small files. */
const workersMax = { all: 4, small: uploadSlotsMax - 4 } as const;
type WorkerKind = keyof typeof workersMax;

const isSmall = ({ file }: NewFile) => isSentWhole(file);

export type ItemState = 'waiting' | 'checking' | 'sending' | 'finishing' | 'done' | 'exists' | 'failed' | 'cancelled';

/** A file to upload. `overwrites` is true when the upload replaces an existing object. */
type NewFile = PlannedFile & { overwrites: boolean };

export interface UploadItem extends NewFile {
  id: number;
  state: ItemState;
  /** The number of the file's bytes that are stored or in transit. */
  sentBytes: number;
  /** The error message for the user. Set in the states `failed` and `exists`. */
  problem: string | undefined;
  /** The result of comparing checksums after the upload. Set in the state `done`. */
  confirmation: Confirmation | undefined;
}

export type UploaderState = 'idle' | 'running' | 'paused' | 'stopped';

export interface UploaderOptions extends Pick<FileUploadServices, 'data' | 'records'> {
  /** The signed-in account and the repository to which the files are uploaded. */
  name: Omit<RecordName, 'key'>;
  /** Called after every change of state, so that the page can render the uploader again. */
  onChange: () => void;
  /** True when the browser can still read a file that has changed since the user chose it. */
  mayReadChanged?: boolean;
}

interface Work {
  upload: FileUpload;
  controller: AbortController;
}

/** Uploads files to one repository, several at a time, until all are done or the user stops the upload. */
export class Uploader {
  /** The number of files completed since this uploader was created. */
  doneEver = 0;
  state: UploaderState = 'idle';
  /** The error that stopped the uploader. */
  problem: DataError | undefined;
  readonly totals = { bytes: 0, sentBytes: 0, wireBytes: 0 };
  #items: UploadItem[] = [];
  readonly #name: UploaderOptions['name'];
  readonly #onChange: () => void;
  readonly #services: FileUploadServices;
  /** The uploads that have started. Waiting files have no entry, so that 100,000 of them need little memory. */
  readonly #works = new Map<UploadItem, Work>();
  /**
   * Files to upload again after an interruption or a retry. They come before new files, so that started uploads are
   * completed first.
   */
  readonly #again: UploadItem[] = [];
  /** The files that a worker has taken. A small file can be reached by both kinds of workers, but is uploaded once. */
  readonly #taken = new Set<UploadItem>();
  #nextIndex = 0;
  #nextSmallIndex = 0;
  #itemsEver = 0;
  #run: AbortController | undefined;
  readonly #workers: Record<WorkerKind, number> = { all: 0, small: 0 };

  constructor({ data, records, name, onChange, mayReadChanged = false }: UploaderOptions) {
    this.#name = name;
    this.#onChange = onChange;
    this.#services = { data, records, mayReadChanged, uploadSlots: new Slots(uploadSlotsMax, workersMax.small) };
  }

  /** The files of the current run, and the failed files of earlier runs. */
  get items(): readonly UploadItem[] {
    return this.#items;
  }

  count(...states: ItemState[]): number {
    return this.#items.reduce((sum, item) => sum + (states.includes(item.state) ? 1 : 0), 0);
  }

  add(files: readonly NewFile[]): void {
    if (this.state === 'idle') {
      // The totals count only the current run. Failed files of earlier runs stay in the list until the user handles
      // them.
      this.#items = this.#items.filter(({ state }) => state === 'failed' || state === 'exists');
      this.#nextIndex = this.#items.length;
      this.#nextSmallIndex = this.#items.length;
      this.totals.bytes = this.#items.reduce((sum, { file }) => sum + file.size, 0);
      this.totals.sentBytes = 0;
    }
    for (const file of files) {
      const id = this.#itemsEver++;
      this.#items.push({ ...file, id, state: 'waiting', sentBytes: 0, problem: undefined, confirmation: undefined });
      this.totals.bytes += file.file.size;
    }
    if (this.state === 'running' || this.state === 'idle') this.resume();
    this.#onChange();
  }

  resume(): void {
    this.state = 'running';
    this.problem = undefined;
    if (this.#run === undefined || this.#run.signal.aborted) this.#run = new AbortController();
    const { signal } = this.#run;
    for (const kind of ['all', 'small'] as const) {
      while (this.#workers[kind] < workersMax[kind]) this.#start(kind, signal);
    }
    this.#onChange();
  }

  #start(kind: WorkerKind, signal: AbortSignal): void {
    this.#workers[kind] += 1;
    void this.#work(kind, signal).finally(() => {
      this.#workers[kind] -= 1;
      // A worker of an earlier run may have returned files to the queue after the current workers found it empty.
      if (this.state === 'running' && this.#isAnythingWaiting(kind)) this.resume();
      else if (this.state === 'running' && this.#workers.all + this.#workers.small === 0) this.state = 'idle';
      this.#onChange();
    });
  }

  #isAnythingWaiting(kind: WorkerKind): boolean {
    if (kind === 'all') return this.#again.length > 0 || this.#nextIndex < this.#items.length;
    return this.#again.some(isSmall) || this.#findSmall() !== undefined;
  }

  /** Aborts all requests. Parts that were already sent stay in storage, so that the upload can continue later. */
  pause(): void {
    if (this.state === 'running') this.#interrupt('paused', new DOMException('paused', 'AbortError'));
  }

  /** Uploads a file again, after a failure or if its key already exists. */
  retry(item: UploadItem, { overwrites = false }: { overwrites?: boolean } = {}): void {
    if (item.state !== 'failed' && item.state !== 'exists') return;
    if (overwrites) item.overwrites = true;
    item.problem = undefined;
    this.#putBack(item);
    if (this.state === 'idle' || this.state === 'running') this.resume();
  }

  cancelAll(): Promise<void> {
    return this.cancel(this.#items);
  }

  /** Cancels files and aborts their uploads. An upload whose abort fails stays in the list of unfinished uploads. */
  async cancel(cancelled: readonly UploadItem[]): Promise<void> {
    const begun: Work[] = [];
    for (const item of cancelled) {
      if (item.state === 'done' || item.state === 'cancelled') continue;
      const work = this.#works.get(item);
      this.#works.delete(item);
      work?.controller.abort(new DOMException('cancelled', 'AbortError'));
      if (work?.upload.begun !== undefined) begun.push(work);
      this.totals.bytes -= item.file.size;
      this.totals.sentBytes -= item.sentBytes;
      item.sentBytes = 0;
      this.#set(item, 'cancelled');
    }
    const { signal } = new AbortController();
    await Promise.allSettled(begun.map(({ upload }) => abandonUpload(upload, this.#services, signal)));
    this.#onChange();
  }

  async #work(kind: WorkerKind, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const item = kind === 'all' ? this.#takeNext() : this.#takeSmall();
      if (item === undefined) return;
      if (item.state !== 'waiting' || this.#taken.has(item)) continue;
      this.#taken.add(item);
      await this.#upload(item, signal);
    }
  }

  #takeNext(): UploadItem | undefined {
    const again = this.#again.shift();
    if (again !== undefined) return again;
    const item = this.#items[this.#nextIndex];
    if (item !== undefined) this.#nextIndex += 1;
    return item;
  }

  #takeSmall(): UploadItem | undefined {
    const at = this.#again.findIndex(isSmall);
    if (at >= 0) return this.#again.splice(at, 1)[0];
    const item = this.#findSmall();
    if (item !== undefined) this.#nextSmallIndex += 1;
    return item;
  }

  /** Returns the next small file that no worker has taken. */
  #findSmall(): UploadItem | undefined {
    this.#nextSmallIndex = Math.max(this.#nextSmallIndex, this.#nextIndex);
    while (this.#nextSmallIndex < this.#items.length) {
      const item = this.#items[this.#nextSmallIndex];
      if (item !== undefined && isSmall(item)) return item;
      this.#nextSmallIndex += 1;
    }
    return undefined;
  }

  async #upload(item: UploadItem, runSignal: AbortSignal): Promise<void> {
    const { key, file, overwrites } = item;
    const work = this.#works.get(item) ?? {
      upload: { name: { ...this.#name, key }, file, overwrites, begun: undefined },
      controller: new AbortController(),
    };
    work.upload.overwrites = overwrites;
    this.#works.set(item, work);
    const events = {
      onState: (next: ItemState) => this.#set(item, next),
      onProgress: (bytes: number) => this.#progress(item, bytes),
    };
    try {
      const signal = AbortSignal.any([runSignal, work.controller.signal]);
      item.confirmation = await uploadFile(work.upload, this.#services, events, signal);
      this.#progress(item, file.size);
      this.#works.delete(item);
      this.#taken.delete(item);
      this.doneEver += 1;
      this.#set(item, 'done');
    } catch (error) {
      if (work.controller.signal.aborted) return;
      if (runSignal.aborted) return this.#putBack(item);
      if (isDataError(error, 'refused', 'signed_out')) {
        this.#putBack(item);
        this.problem = error;
        this.#interrupt('stopped', error);
        return;
      }
      this.#progress(item, 0);
      item.problem = isDataError(error) ? error.message : 'Something went wrong in the page. Try again.';
      this.#set(item, isDataError(error, 'exists') ? 'exists' : 'failed');
    }
  }

  /** Aborts the requests of all files. Parts that were already sent stay in storage. */
  #interrupt(state: UploaderState, reason: Error): void {
    this.state = state;
    this.#run?.abort(reason);
    this.#onChange();
  }

  #putBack(item: UploadItem): void {
    this.#taken.delete(item);
    this.#again.push(item);
    this.#set(item, 'waiting');
  }

  #set(item: UploadItem, next: ItemState): void {
    if (item.state === 'cancelled') return;
    item.state = next;
    this.#onChange();
  }

  #progress(item: UploadItem, bytes: number): void {
    if (item.state === 'cancelled') return;
    const sentBytes = Math.min(bytes, item.file.size);
    this.totals.sentBytes += sentBytes - item.sentBytes;
    if (item.state !== 'checking') this.totals.wireBytes += Math.max(0, sentBytes - item.sentBytes);
    item.sentBytes = sentBytes;
    this.#onChange();
  }
}
