import { type DataError, isDataError } from '../data/data-error.ts';
import type { RepositoryData } from '../data/multipart.ts';
import { abandonUpload, type FileUpload, type FileUploadServices } from './begun-upload.ts';
import type { PlannedFile } from './chosen-files.ts';
import { type Confirmation, uploadFile } from './file-upload.ts';
import { type Breathe, breathe, piecesOf } from './pieces.ts';
import type { RecordName, UploadRecords } from './upload-records.ts';
import { createUploadSlots } from './upload-slots.ts';

/**
 * Number of concurrent requests with file data. Browsers have six HTTP/1.1 connections per host, and the page needs
 * some itself.
 */
const uploadSlotsMax = 4;

export type ItemState = 'waiting' | 'checking' | 'sending' | 'finishing' | 'done' | 'exists' | 'failed' | 'cancelled';

export interface UploadItem extends PlannedFile {
  id: number;
  state: ItemState;
  /** Bytes of the file in storage. */
  sentBytes: number;
  /** Set for `failed` and `exists`. */
  problem: string | undefined;
  /** Set for `done`. */
  confirmation: Confirmation | undefined;
}

export type UploaderState = 'idle' | 'running' | 'paused' | 'stopped';

export interface UploaderOptions {
  data: RepositoryData;
  records: UploadRecords;
  /** The owner and the target of the uploads. */
  name: Omit<RecordName, 'key'>;
  /** Called after any change. The page reads the new state at its next render. */
  onChange: () => void;
  /** True when the browser continues to read a changed file. */
  mayReadChanged?: boolean;
  now?: () => number;
  breath?: Breathe;
}

/** `overwrites` is true when the upload replaces an existing object. */
type NewFile = PlannedFile & { overwrites: boolean };

interface Work {
  upload: FileUpload;
  controller: AbortController;
}

/** Creates an uploader for one repository. It uploads a few files at a time until all are done or it is stopped. */
export function createUploader(options: UploaderOptions) {
  const { data, records, name, onChange, mayReadChanged = false, now = Date.now, breath = breathe } = options;
  const services: FileUploadServices = {
    data,
    records,
    uploadSlots: createUploadSlots(uploadSlotsMax),
    now,
    mayReadChanged,
  };
  let items: UploadItem[] = [];
  /** The started uploads. Waiting files have none, so that 100,000 of them need little memory. */
  const works = new Map<UploadItem, Work>();
  const overwriting = new WeakSet<UploadItem>();
  /** Interrupted and retried files. They come first, so that started uploads are completed. */
  const again: UploadItem[] = [];
  let nextIndex = 0;
  let itemsEver = 0;
  let doneEver = 0;
  let state: UploaderState = 'idle';
  let problem: DataError | undefined;
  let run: AbortController | undefined;
  let workers = 0;
  /** Number of lists that are still being added. */
  let adding = 0;
  const totals = { bytes: 0, sentBytes: 0, wireBytes: 0 };

  /** Adds files. The first uploads start while later files are still being added. */
  async function add(files: readonly NewFile[]): Promise<void> {
    if (state === 'idle') dropSettled();
    adding += 1;
    for await (const piece of piecesOf(files, breath)) {
      for (const file of piece) addOne(file);
      if (state === 'running' || state === 'idle') resume();
    }
    adding -= 1;
    if (state === 'running') resume();
    onChange();
  }

  /** Drops settled files, so that totals describe the current run. Failed files stay until the user handles them. */
  function dropSettled(): void {
    items = items.filter((item) => item.state === 'failed' || item.state === 'exists');
    nextIndex = items.length;
    totals.bytes = items.reduce((sum, { file }) => sum + file.size, 0);
    totals.sentBytes = 0;
  }

  function addOne({ key, file, overwrites }: NewFile): void {
    const item: UploadItem = {
      id: itemsEver++,
      key,
      file,
      state: 'waiting',
      sentBytes: 0,
      problem: undefined,
      confirmation: undefined,
    };
    items.push(item);
    if (overwrites) overwriting.add(item);
    totals.bytes += file.size;
  }

  function workOf(item: UploadItem): Work {
    const { key, file } = item;
    const begun = works.get(item) ?? {
      upload: { name: { ...name, key }, file, overwrites: overwriting.has(item), begun: undefined },
      controller: new AbortController(),
    };
    works.set(item, begun);
    return begun;
  }

  function resume(): void {
    state = 'running';
    problem = undefined;
    if (run === undefined || run.signal.aborted) run = new AbortController();
    const { signal } = run;
    while (workers < uploadSlotsMax) {
      workers += 1;
      void work(signal).finally(() => {
        workers -= 1;
        // Workers of an earlier run may have returned files after these workers found none.
        if (state === 'running' && isAnythingWaiting()) resume();
        else if (state === 'running' && workers === 0 && adding === 0) state = 'idle';
        onChange();
      });
    }
    onChange();
  }

  function isAnythingWaiting(): boolean {
    return again.length > 0 || nextIndex < items.length;
  }

  async function work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const item = again.shift() ?? items[nextIndex++];
      if (item === undefined) {
        nextIndex = items.length;
        return;
      }
      if (item.state === 'waiting') await carryOut(item, signal);
    }
  }

  async function carryOut(item: UploadItem, runSignal: AbortSignal): Promise<void> {
    const work = workOf(item);
    const events = {
      onState: (next: ItemState) => set(item, next),
      onProgress: (bytes: number) => progress(item, bytes),
    };
    try {
      const signal = AbortSignal.any([runSignal, work.controller.signal]);
      item.confirmation = await uploadFile(work.upload, services, events, signal);
      progress(item, item.file.size);
      works.delete(item);
      doneEver += 1;
      set(item, 'done');
    } catch (error) {
      if (work.controller.signal.aborted) return;
      if (runSignal.aborted) return putBack(item);
      if (isDataError(error, 'refused', 'signed_out')) {
        putBack(item);
        stop(error);
        return;
      }
      progress(item, 0);
      item.problem = isDataError(error) ? error.message : 'Something went wrong in the page. Try again.';
      set(item, isDataError(error, 'exists') ? 'exists' : 'failed');
    }
  }

  function putBack(item: UploadItem): void {
    again.push(item);
    set(item, 'waiting');
  }

  function set(item: UploadItem, next: ItemState): void {
    if (item.state === 'cancelled') return;
    item.state = next;
    onChange();
  }

  function progress(item: UploadItem, bytes: number): void {
    if (item.state === 'cancelled') return;
    const sentBytes = Math.min(bytes, item.file.size);
    totals.sentBytes += sentBytes - item.sentBytes;
    if (item.state !== 'checking') totals.wireBytes += Math.max(0, sentBytes - item.sentBytes);
    item.sentBytes = sentBytes;
    onChange();
  }

  /** Stops all files. Sent parts stay in storage. */
  function stop(error: DataError): void {
    state = 'stopped';
    problem = error;
    run?.abort(error);
    onChange();
  }

  function pause(): void {
    if (state !== 'running') return;
    state = 'paused';
    run?.abort(new DOMException('paused', 'AbortError'));
    onChange();
  }

  /** Retries a file that failed or whose key already exists. */
  function retry(item: UploadItem, { overwrites = false }: { overwrites?: boolean } = {}): void {
    if (item.state !== 'failed' && item.state !== 'exists') return;
    if (overwrites) workOf(item).upload.overwrites = true;
    item.problem = undefined;
    putBack(item);
    if (state === 'idle' || state === 'running') resume();
  }

  /**
   * Cancels files and aborts their uploads in storage. An upload whose abort fails stays in the list of incomplete
   * uploads.
   */
  async function cancel(cancelled: readonly UploadItem[]): Promise<void> {
    const begun: Work[] = [];
    for (const item of cancelled) {
      if (item.state === 'done' || item.state === 'cancelled') continue;
      const work = works.get(item);
      works.delete(item);
      work?.controller.abort(new DOMException('cancelled', 'AbortError'));
      if (work?.upload.begun !== undefined) begun.push(work);
      totals.bytes -= item.file.size;
      totals.sentBytes -= item.sentBytes;
      item.sentBytes = 0;
      set(item, 'cancelled');
    }
    const { signal } = new AbortController();
    await Promise.allSettled(begun.map(({ upload }) => abandonUpload(upload, services, signal)));
    onChange();
  }

  return {
    /** Items of the current run, and failed items of earlier runs. */
    get items(): readonly UploadItem[] {
      return items;
    },
    /** Number of completed files since creation. */
    get doneEver() {
      return doneEver;
    },
    add,
    pause,
    resume,
    retry,
    cancel,
    cancelAll: () => cancel(items.filter(({ state: of }) => of !== 'done' && of !== 'cancelled')),
    /** Ends all requests when the user leaves the page. Sent parts stay, so the upload can resume. */
    close: () => {
      state = 'paused';
      run?.abort(new DOMException('closed', 'AbortError'));
    },
    get state() {
      return state;
    },
    /** The reason for the stop. */
    get problem() {
      return problem;
    },
    totals: totals as Readonly<typeof totals>,
    count: (...states: ItemState[]) => items.reduce((sum, item) => sum + (states.includes(item.state) ? 1 : 0), 0),
  };
}

export type Uploader = ReturnType<typeof createUploader>;
