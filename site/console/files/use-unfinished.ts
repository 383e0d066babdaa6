import { useEffect, useState } from 'preact/hooks';
import { isDataError } from '../../data/data-error.ts';
import type { UnfinishedUpload } from '../../data/multipart.ts';
import { heldNames, holdNameOf, type RecordName } from '../../upload/upload-records.ts';
import { messageOf } from './parts.tsx';
import { texts } from './texts.ts';
import type { UploadSession } from './upload-session.ts';

/** A multipart upload in storage that was never completed, combined with the records of this browser. */
export type KnownUnfinished = UnfinishedUpload & {
  by: 'this_browser' | 'another_tab' | 'somebody';
  /** True when the upload is more than 7 days old and no tab is running it. */
  isOld: boolean;
};

const oldMs = 7 * 24 * 60 * 60 * 1000;

/** Adds to each unfinished upload whether this browser began it, and whether it is running in another tab. */
export function useUnfinished(
  session: UploadSession | undefined,
  unfinished: readonly UnfinishedUpload[],
  name: Omit<RecordName, 'key'>,
): readonly KnownUnfinished[] {
  const [known, setKnown] = useState<readonly KnownUnfinished[]>([]);
  useEffect(() => {
    let isGone = false;
    void knownOf(session, unfinished, name).then((found) => isGone || setKnown(found));
    return () => {
      isGone = true;
    };
  }, [session, unfinished]);
  return known;
}

async function knownOf(
  session: UploadSession | undefined,
  unfinished: readonly UnfinishedUpload[],
  name: Omit<RecordName, 'key'>,
): Promise<KnownUnfinished[]> {
  const ours = new Map((await session?.records.list(name))?.map((record) => [record.uploadId, record]));
  const locked = await heldNames();
  const oldBefore = Date.now() - oldMs;
  return unfinished.map((upload) => {
    const record = ours.get(upload.uploadId);
    const isRunning = record !== undefined && locked.has(holdNameOf(record));
    const by = isRunning ? 'another_tab' : record === undefined ? 'somebody' : 'this_browser';
    return { ...upload, by, isOld: !isRunning && upload.startedAt < oldBefore };
  });
}

/** Removes the unfinished uploads. Resolves with a message for the user about the result. */
export async function removeUnfinished(
  { repository, records }: UploadSession,
  uploads: readonly KnownUnfinished[],
  name: Omit<RecordName, 'key'>,
): Promise<string> {
  const { signal } = new AbortController();
  let failure: unknown;
  let removed = 0;
  for (const upload of uploads) {
    try {
      await repository.multipart.abort(upload, signal);
      removed += 1;
    } catch (error) {
      // An absent upload counts as removed, because another user has already removed it.
      if (isDataError(error, 'absent')) removed += 1;
      else failure = error;
    }
    if (upload.by === 'this_browser') await records.remove({ ...name, key: upload.key });
  }
  return failure === undefined
    ? texts.removed(removed)
    : texts.notRemoved(uploads.length - removed, messageOf(failure));
}
