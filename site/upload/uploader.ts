import { type DataError, isDataError } from '../data/data-error.ts';
import type { RepositoryData } from '../data/multipart.ts';
import { abandonUpload, type FileUpload, type FileUploadServices } from './begun-upload.ts';
import type { PlannedFile } from './chosen-files.ts';
import { type Confirmation, uploadFile } from './file-upload.ts';
import { type Breathe, breathe, piecesOf } from './pieces.ts';
import type { RecordName, UploadRecords } from './upload-records.ts';
import { createUploadSlots } from './upload-slots.ts';

/** How many requests carry bytes at once: browsers have six connections to a host of HTTP/1.1, and the page needs some itself. */
const uploadSlotsMax = 4;

export type ItemState = 'waiting' | 'checking' | 'sending' | 'finishing' | 'done' | 'exists' | 'failed' | 'cancelled';

export interface UploadItem extends PlannedFile {
  id: number;
  state: ItemState;
  /** Of the file, what storage has. */
  sentBytes: number;
  /** Of `failed` and `exists`. */
  problem: string | undefined;
  /** Of `done`. */
  confirmation: Confirmation | undefined;
}

export type UploaderState = 'idle' | 'running' | 'paused' | 'stopped';

export interface UploaderOptions {
  data: RepositoryData;
  records: UploadRecords;
  /** Whose uploads they are, and where they go. */
  name: Omit<RecordName, 'key'>;
  /** Something is otherwise than it was; the page looks again when it draws. */
  onChange: () => void;
  /** Whether the browser goes on reading a file that has changed. */
  mayReadChanged?: boolean;
  now?: () => number;
  breath?: Breathe;
}

/** `overwrites`: what is there already under the key gives way. */
type NewFile = PlannedFile & { overwrites: boolean };

interface Work {
  upload: FileUpload;
  controller: AbortController;
}

/** Uploads files to one repository, a few at a time, until they are done or it is told to stop. */
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
  /** Of those that were begun: a hundred thousand files wait for long, and cost little meanwhile. */
  const works = new Map<UploadItem, Work>();
  const overwriting = new WeakSet<UploadItem>();
  /** Those that were begun come first, so that what is half there gets whole. */
  const again: UploadItem[] = [];
  let nextIndex = 0;
  let itemsEver = 0;
  let doneEver = 0;
  let state: UploaderState = 'idle';
  let problem: DataError | undefined;
  let run: AbortController | undefined;
  let workers = 0;
  /** Lists of files that are not taken in whole. */
  let adding = 0;
  const totals = { bytes: 0, sentBytes: 0, wireBytes: 0 };

  /** The first are on their way while the others are still taken in. */
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

  /** The numbers are those of what runs. Of what ran before only what failed stays, until somebody has dealt with it. */
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
        // What an earlier run put back may have come after the others had found nothing.
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

  /** Every file waits: nobody may go on for now. Nothing of what was sent is lost. */
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

  /** Tries a file once more that failed or met another of its name. */
  function retry(item: UploadItem, { overwrites = false }: { overwrites?: boolean } = {}): void {
    if (item.state !== 'failed' && item.state !== 'exists') return;
    if (overwrites) workOf(item).upload.overwrites = true;
    item.problem = undefined;
    putBack(item);
    if (state === 'idle' || state === 'running') resume();
  }

  /** Leaves files out, and has storage drop what it has of them. What cannot be told to it now stays among the unfinished. */
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
    /** Of the uploads that run, and what failed of those before. */
    get items(): readonly UploadItem[] {
      return items;
    },
    /** How many files are done since it was made. */
    get doneEver() {
      return doneEver;
    },
    add,
    pause,
    resume,
    retry,
    cancel,
    cancelAll: () => cancel(items.filter(({ state: of }) => of !== 'done' && of !== 'cancelled')),
    /** Ends everything at once, as the page is left: what was sent stays, to go on with. */
    close: () => {
      state = 'paused';
      run?.abort(new DOMException('closed', 'AbortError'));
    },
    get state() {
      return state;
    },
    /** Why it stopped. */
    get problem() {
      return problem;
    },
    totals: totals as Readonly<typeof totals>,
    count: (...states: ItemState[]) => items.reduce((sum, item) => sum + (states.includes(item.state) ? 1 : 0), 0),
  };
}

export type Uploader = ReturnType<typeof createUploader>;
