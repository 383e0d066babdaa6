import { useEffect, useState } from 'preact/hooks';
import { isDataError } from '../../data/data-error.ts';
import type { UnfinishedUpload } from '../../data/multipart.ts';
import type { ObjectPage } from '../../data/objects.ts';
import { messageOf } from './parts.tsx';
import type { UploadSession } from './upload-session.ts';

const pageMax = 200;

export type FolderState = ReturnType<typeof useFolder>;

/**
 * Loads one page of a folder. For users with write access, also loads the folder's unfinished uploads.
 *
 * @param isWriter whether the user has a role with write access. The data proxy may still refuse writes, for example on
 * a read-only connection. Without the role, the page does not ask the data proxy.
 */
export function useFolder(session: UploadSession | undefined, folder: string, isWriter: boolean) {
  const [shown, setShown] = useState<{ folder: string; page: ObjectPage }>();
  const [from, setFrom] = useState<{ folder: string; continuation: string | undefined }>({
    folder,
    continuation: undefined,
  });
  const [unfinished, setUnfinished] = useState<readonly UnfinishedUpload[]>([]);
  /** Undefined until a response of the data proxy shows whether this user may write. */
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
        // Some storage cannot list unfinished uploads. Such an error does not mean that the user may not write.
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
    open: (next: string | undefined) => setFrom({ folder, continuation: next }),
    reload: () => {
      setProblem(undefined);
      setVersion((before) => before + 1);
    },
  };
}
