import { type Rate, restSeconds } from '../../upload/progress.ts';
import type { Uploader, UploadItem } from '../../upload/uploader.ts';

/** The progress of an upload as plain data. It contains only some of the files, so that rendering stays fast. */
export interface UploadStatus {
  state: 'running' | 'paused' | 'stopped' | 'offline' | 'done';
  files: number;
  done: number;
  /**
   * The number of files that this session has ever finished. It differs between two uploads with the same number of
   * files.
   */
  doneEver: number;
  waiting: number;
  bytes: number;
  sentBytes: number;
  bytesPerSecond: number | undefined;
  restSeconds: number | undefined;
  /** The items whose data is in transit. */
  active: readonly UploadItem[];
  /**
   * The first few items that failed or whose key already exists. `troubledMore` is the number of further such items.
   */
  troubled: readonly UploadItem[];
  troubledMore: number;
  unconfirmed: number;
  problem: string | undefined;
}

const troubledMax = 20;

export function statusOf(uploader: Uploader, { isOffline, rate }: { isOffline: boolean; rate: Rate }): UploadStatus {
  const active: UploadItem[] = [];
  const troubled: UploadItem[] = [];
  const counts = { files: 0, done: 0, waiting: 0, troubled: 0, unconfirmed: 0 };
  for (const item of uploader.items) {
    if (item.state === 'cancelled') continue;
    counts.files += 1;
    if (item.state === 'waiting') counts.waiting += 1;
    else if (item.state === 'done') {
      counts.done += 1;
      if (item.confirmation === 'not_told') counts.unconfirmed += 1;
    } else if (item.state === 'failed' || item.state === 'exists') {
      counts.troubled += 1;
      if (troubled.length < troubledMax) troubled.push(item);
    } else active.push(item);
  }
  const { state, totals } = uploader;
  const bytesPerSecond = state === 'running' && !isOffline ? rate.bytesPerSecond(Date.now()) : undefined;
  return {
    state: state === 'idle' ? 'done' : state === 'running' && isOffline ? 'offline' : state,
    files: counts.files,
    done: counts.done,
    doneEver: uploader.doneEver,
    waiting: counts.waiting,
    bytes: totals.bytes,
    sentBytes: totals.sentBytes,
    bytesPerSecond,
    restSeconds: restSeconds(totals.bytes - totals.sentBytes, bytesPerSecond),
    active,
    troubled,
    troubledMore: counts.troubled - troubled.length,
    unconfirmed: counts.unconfirmed,
    problem: uploader.problem?.message,
  };
}

/** Describes the progress of an upload in a few characters, for the title of the tab. */
export function describeBriefly({ state, files, bytes, sentBytes, troubled }: UploadStatus): string | undefined {
  if (files === 0) return undefined;
  if (state === 'done') return troubled.length === 0 ? 'Uploaded' : 'Not all uploaded';
  if (state === 'stopped') return 'Upload stopped';
  const percent = `${bytes === 0 ? 0 : Math.floor((100 * sentBytes) / bytes)} %`;
  if (state === 'running') return percent;
  return `${percent}, ${state}`;
}
