import { createRate } from '../../upload/progress.ts';
import type { Release } from '../../upload/upload-records.ts';
import { openRecords, type StoredDrop, type UploadRecords } from '../../upload/upload-records.ts';
import { Uploader } from '../../upload/uploader.ts';
import { holdPage } from '../chunks.ts';
import { onSignOut } from '../sign-in/tokens.ts';
import { type OpenRepository, openRepository } from './open-repository.ts';
import { statusOf, type UploadStatus } from './upload-status.ts';

/** The drops that this tab holds. */
interface DropHolds {
  /** Stores dropped files, or resumes those of an earlier tab. Returns false when another tab has them. */
  takeUp(drop: StoredDrop): Promise<boolean>;
  /** Records that the user has confirmed the upload and its target. */
  beginDrop(drop: StoredDrop): void;
  /** Deletes the stored drops whose upload has begun. They are no longer needed. */
  forgetDrops(): Promise<void>;
}

/** The uploads to one repository. They continue while the user opens other views of the console. */
export interface UploadSession extends DropHolds {
  repository: OpenRepository;
  records: UploadRecords;
  uploader: Uploader;
  status(): UploadStatus;
  /** Calls the listener a few times a second at most. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
  /** Starts with an empty list. */
  clear(): void;
  /** Pauses the uploads and discards the credentials. Parts in storage remain, so that the uploads can be resumed. */
  end(): void;
}

const drawnEveryMs = 250;
const sessions = new Map<string, Promise<UploadSession>>();

onSignOut(() => {
  for (const opened of sessions.values()) {
    opened.then(
      (session) => session.end(),
      // A session that failed to open has nothing to end.
      () => undefined,
    );
  }
  sessions.clear();
});

type SessionOptions = Parameters<typeof openRepository>[0] & {
  /** The account ID of the signed-in user. */
  owner: string;
};

/** Returns the session of this user and repository, and creates it if needed. */
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
      // Failed files need the user, so the page must not reload.
      holdPage(repository, uploader.state !== 'idle' || uploader.count('failed', 'exists') > 0);
      for (const listener of listeners) listener();
      // Repeat while running: without progress, the rate falls and the remaining time grows.
      if (uploader.state === 'running') changed();
    }, drawnEveryMs);
  }

  const create = () => createUploader(options, repository, records, changed);
  let uploader = create();
  repository.onConnection((isThere) => {
    isOffline = !isThere;
    rate.reset();
    changed();
  });
  // Closing the tab by mistake would lose time. The browser asks the user.
  addEventListener('beforeunload', (event) => uploader.state === 'running' && event.preventDefault());

  return {
    repository,
    records,
    get uploader() {
      return uploader;
    },
    status() {
      return statusOf(uploader, { isOffline, rate });
    },
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
    // Chromium has file handles and refuses to read a file that has changed. Firefox reads the current content.
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
