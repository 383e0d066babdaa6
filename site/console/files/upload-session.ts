import { createRate } from '../../upload/progress.ts';
import type { Release } from '../../upload/upload-records.ts';
import { openRecords, type StoredDrop, type UploadRecords } from '../../upload/upload-records.ts';
import { Uploader } from '../../upload/uploader.ts';
import { holdPage } from '../chunks.ts';
import { onSignOut } from '../sign-in/session.ts';
import { setProgress } from '../tab-title.ts';
import { type OpenRepository, openRepository } from './open-repository.ts';
import { describeBriefly, statusOf, type UploadStatus } from './upload-status.ts';

/** The functions that store dropped files, so that this browser can resume their upload after a reload. */
interface DropHolds {
  /**
   * Stores dropped files, or takes over the stored drop of an earlier tab. Returns false when another tab has already
   * taken it.
   */
  takeUp(drop: StoredDrop): Promise<boolean>;
  /** Records that the user has confirmed the upload of a drop, and its target folder. */
  beginDrop(drop: StoredDrop): void;
  /** Deletes the stored drops whose upload has begun. Call it when all files are uploaded. */
  forgetDrops(): Promise<void>;
}

/** The uploads to one repository. They continue while the user opens other views of the console. */
export interface UploadSession extends DropHolds {
  repository: OpenRepository;
  records: UploadRecords;
  uploader: Uploader;
  status(): UploadStatus;
  /**
   * Calls the listener after changes, at most a few times a second. Returns a function that unsubscribes the listener.
   */
  subscribe(listener: () => void): () => void;
  /** Removes all files from the list of uploads. */
  clear(): void;
  /**
   * Pauses the uploads and deletes the credentials. The parts in storage remain, so that the user can resume the
   * uploads later.
   */
  end(): void;
}

const drawnEveryMs = 250;
const sessions = new Map<string, Promise<UploadSession>>();

onSignOut(() => {
  for (const opened of sessions.values()) {
    opened.then(
      (session) => session.end(),
      // Ignore the error of a session that failed to open, because there is nothing to end.
      () => undefined,
    );
  }
  sessions.clear();
});

type SessionOptions = Parameters<typeof openRepository>[0] & {
  /** The account ID of the signed-in user. */
  owner: string;
};

/** Returns the upload session of this user and repository. Creates the session if there is none. */
export function uploadSessionOf(options: SessionOptions): Promise<UploadSession> {
  const { location, owner } = options;
  const name = JSON.stringify([owner, location.account_id, location.repository_id]);
  const known = sessions.get(name);
  if (known !== undefined) return known;
  const opened = openSession(options);
  sessions.set(name, opened);
  return opened;
}

async function openSession(options: SessionOptions): Promise<UploadSession> {
  const repository = openRepository(options);
  const records = await openRecords();
  const rate = createRate();
  const listeners = new Set<() => void>();
  let isOffline = false;
  let isDrawing = false;

  function changed(): void {
    rate.add(Date.now(), uploader.totals.wireBytes);
    if (uploader.state !== 'idle') holdPage(repository, true);
    if (isDrawing) return;
    isDrawing = true;
    setTimeout(() => {
      isDrawing = false;
      // The user must decide about failed files, so the page must not reload by itself while there are any.
      holdPage(repository, uploader.state !== 'idle' || uploader.count('failed', 'exists') > 0);
      setProgress(repository, describeBriefly(status()));
      for (const listener of listeners) listener();
      // Repeat while an upload runs, because even without progress, the shown rate must fall and the remaining time
      // must grow.
      if (uploader.state === 'running') changed();
    }, drawnEveryMs);
  }

  const status = () => statusOf(uploader, { isOffline, rate });
  const create = () => createUploader(options, repository, records, changed);
  let uploader = create();
  repository.onConnection((isThere) => {
    isOffline = !isThere;
    rate.reset();
    changed();
  });
  // Make the browser ask before it closes the tab, because closing the tab stops all uploads.
  addEventListener('beforeunload', (event) => uploader.state === 'running' && event.preventDefault());

  return {
    repository,
    records,
    get uploader() {
      return uploader;
    },
    status,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...createDropHolds(records),
    clear() {
      uploader = create();
      rate.reset();
      changed();
    },
    end() {
      uploader.pause();
      repository.forget();
      setProgress(repository, undefined);
      holdPage(repository, false);
    },
  };
}

function createUploader(
  { location, owner }: SessionOptions,
  data: OpenRepository,
  records: UploadRecords,
  onChange: () => void,
): Uploader {
  return new Uploader({
    data,
    records,
    name: { owner, ...location },
    onChange,
    // In Chromium, `File` objects come from file handles, and Chromium refuses to read a file that has changed. Firefox
    // reads the current content instead.
    mayReadChanged: !('getAsFileSystemHandle' in DataTransferItem.prototype),
  });
}

function createDropHolds(records: UploadRecords): DropHolds {
  const held = new Map<string, { release: Release; begun?: StoredDrop }>();
  return {
    async takeUp(drop) {
      if (held.has(drop.id)) return true;
      const release = await records.holdDrop(drop);
      if (release === undefined) return false;
      held.set(drop.id, { release });
      await records.storeDrop(drop);
      return true;
    },
    beginDrop(drop) {
      const taken = held.get(drop.id);
      if (taken === undefined) return;
      held.set(drop.id, { ...taken, begun: drop });
      void records.storeDrop(drop);
    },
    async forgetDrops() {
      for (const [id, { begun, release }] of held) {
        if (begun === undefined) continue;
        held.delete(id);
        await records.forgetDrop(begun);
        await release();
      }
    },
  };
}
