import { useEffect, useState } from 'preact/hooks';
import { isDataError } from '../../data/data-error.ts';
import type { UnfinishedUpload } from '../../data/multipart.ts';
import type { ObjectPage } from '../../data/objects.ts';
import { messageOf } from './message-of.ts';
import type { UploadSession } from './upload-session.ts';

const pageMax = 200;

export interface FolderState {
  page: ObjectPage | undefined;
  isFirst: boolean;
  /** Undefined until it is known. */
  mayWrite: boolean | undefined;
  unfinished: readonly UnfinishedUpload[];
  problem: string | undefined;
  open(continuation: string | undefined): void;
  reload(): void;
}

/**
 * One page of a folder, and what only those who write may see.
 *
 * @param isWriter whether this person has a right to write. Where the data proxy says otherwise, as of a connection that is
 *   read-only, it is right; nobody else asks it.
 */
export function useFolder(session: UploadSession | undefined, folder: string, isWriter: boolean): FolderState {
  const [shown, setShown] = useState<{ folder: string; page: ObjectPage }>();
  const [from, setFrom] = useState<{ folder: string; continuation: string | undefined }>({
    folder,
    continuation: undefined,
  });
  const [unfinished, setUnfinished] = useState<readonly UnfinishedUpload[]>([]);
  const [mayWrite, setMayWrite] = useState<boolean>();
  const [problem, setProblem] = useState<string>();
  const [version, setVersion] = useState(0);
  const continuation = from.folder === folder ? from.continuation : undefined;

  useEffect(() => {
    if (session === undefined) return;
    const { objects } = session.repository;
    const controller = new AbortController();
    const { signal } = controller;
    objects
      .list({ prefix: folder, delimiter: '/', pageMax, continuation }, signal)
      .then((page) => {
        setShown({ folder, page });
        setProblem(undefined);
      })
      .catch((error: unknown) => !signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, [session, folder, continuation, version]);

  useEffect(() => {
    if (session === undefined || !isWriter) return;
    const controller = new AbortController();
    const { signal } = controller;
    session.repository.multipart
      .listUnfinished(folder, signal)
      .then((uploads) => {
        setMayWrite(true);
        setUnfinished(uploads);
      })
      .catch((error: unknown) => {
        // A storage that has no such list says nothing about the person.
        if (!signal.aborted) setMayWrite(!isDataError(error, 'refused', 'signed_out', 'offline'));
      });
    return () => controller.abort();
  }, [session, folder, version, isWriter]);

  return {
    page: shown?.folder === folder ? shown.page : undefined,
    isFirst: continuation === undefined,
    mayWrite: isWriter ? mayWrite : false,
    unfinished,
    problem,
    open: (next) => setFrom({ folder, continuation: next }),
    reload: () => {
      setProblem(undefined);
      setVersion((before) => before + 1);
    },
  };
}
