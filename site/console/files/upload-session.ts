import type { Release } from '../../upload/holds.ts';
import { type BrowserRecords, type KeptDrop, openRecords } from '../../upload/indexed-db-records.ts';
import { createRate, restSeconds } from '../../upload/progress.ts';
import { createUploader, type Uploader } from '../../upload/uploader.ts';
import { holdPage } from '../chunks.ts';
import { onSignOut } from '../sign-in/tokens.ts';
import { type OpenRepository, openRepository } from './open-repository.ts';
import { statusOf, type UploadStatus } from './upload-status.ts';

/** The uploads to one repository. They go on while the person looks at other pages of the console. */
export interface UploadSession {
  repository: OpenRepository;
  records: BrowserRecords;
  uploader: Uploader;
  status(): UploadStatus;
  /** Called a few times a second at most. Returns what ends it. */
  subscribe(listener: () => void): () => void;
  /** Keeps what was dropped, or takes up what an earlier tab kept. False where another tab is at it. */
  takeUp(drop: KeptDrop): Promise<boolean>;
  /** It is decided what of it goes up, and where. */
  beginDrop(drop: KeptDrop): void;
  /** Nothing of what was begun is needed again. */
  forgetDrops(): Promise<void>;
  /** Begins with an empty list. */
  clear(): void;
  /** Pauses what runs and forgets the credentials. What was sent stays, to go on with. */
  end(): void;
}

const drawnEveryMs = 250;
const sessions = new Map<string, Promise<UploadSession>>();

onSignOut(() => {
  for (const opened of sessions.values()) {
    opened.then(
      (session) => session.end(),
      // One that did not open has nothing.
      () => undefined,
    );
  }
  sessions.clear();
});

type SessionOptions = Parameters<typeof openRepository>[0] & {
  /** The account of the person who is signed in. */
  owner: string;
};

/** The one of this person and repository. */
export function uploadSessionOf(options: SessionOptions): Promise<UploadSession> {
  const { place, owner } = options;
  const name = JSON.stringify([owner, place.account_id, place.repository_id]);
  const known = sessions.get(name);
  if (known !== undefined) return known;
  const opened = openSession(options);
  sessions.set(name, opened);
  return opened;
}

async function openSession(options: SessionOptions): Promise<UploadSession> {
  const { place, owner } = options;
  const repository = openRepository(options);
  const records = await openRecords();
  const rate = createRate();
  const listeners = new Set<() => void>();
  let isOffline = false;
  let isDrawing = false;
  const takenUp = new Map<string, { release: Release; begun?: KeptDrop }>();

  function changed(): void {
    rate.add(Date.now(), uploader.totals.wireBytes);
    if (uploader.state !== 'idle') holdPage(repository, true);
    if (isDrawing) return;
    isDrawing = true;
    setTimeout(() => {
      isDrawing = false;
      // What failed waits for somebody who looks at it.
      holdPage(repository, uploader.state !== 'idle' || uploader.count('failed', 'exists') > 0);
      for (const listener of listeners) listener();
      // The rate falls and the rest grows also where nothing moves.
      if (uploader.state === 'running') changed();
    }, drawnEveryMs);
  }

  const create = () =>
    createUploader({
      data: repository,
      records,
      name: { owner, ...place },
      onChange: () => changed(),
      // Those with handles are of Chromium, which refuses to read a file that has changed. Firefox reads what is there now.
      mayReadChanged: !('getAsFileSystemHandle' in DataTransferItem.prototype),
    });
  let uploader = create();
  repository.onConnection((isThere) => {
    isOffline = !isThere;
    rate.reset();
    changed();
  });
  addEventListener('beforeunload', (event) => {
    // The browser's own question: whoever closes the tab by mistake loses time.
    if (uploader.state === 'running') event.preventDefault();
  });

  return {
    repository,
    records,
    get uploader() {
      return uploader;
    },
    status() {
      const bytesPerSecond = rate.bytesPerSecond(Date.now());
      const { bytes, sentBytes } = uploader.totals;
      return statusOf(uploader, {
        isOffline,
        bytesPerSecond,
        restSeconds: restSeconds(bytes - sentBytes, bytesPerSecond),
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async takeUp(drop) {
      if (takenUp.has(drop.id)) return true;
      const release = await records.holdDrop(drop);
      if (release === undefined) return false;
      takenUp.set(drop.id, { release });
      await records.keepDrop(drop);
      return true;
    },
    beginDrop(drop) {
      const taken = takenUp.get(drop.id);
      if (taken === undefined) return;
      takenUp.set(drop.id, { ...taken, begun: drop });
      void records.keepDrop(drop);
    },
    async forgetDrops() {
      for (const [id, { begun, release }] of takenUp) {
        if (begun === undefined) continue;
        takenUp.delete(id);
        await records.forgetDrop(begun);
        await release();
      }
    },
    clear() {
      uploader = create();
      rate.reset();
      changed();
    },
    end() {
      uploader.close();
      repository.forget();
      holdPage(repository, false);
    },
  };
}
