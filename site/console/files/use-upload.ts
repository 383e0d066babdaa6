import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ChosenFile, planUpload } from '../../upload/chosen-files.ts';
import { type Dropped, type DroppedFiles, filesOf } from '../../upload/dropped-files.ts';
import { findExisting } from '../../upload/existing-keys.ts';
import type { KeptDrop } from '../../upload/indexed-db-records.ts';
import { messageOf } from './message-of.ts';
import { chosenOf, type ExistingChoice, needsReview, type UploadReview } from './review-dialog.ts';
import { texts } from './texts.ts';
import type { UploadSession } from './upload-session.ts';

/** In Chromium alone. */
type AskingHandle = FileSystemHandle & { requestPermission?(options: { mode: 'read' }): Promise<PermissionState> };

const wholeWalk: Omit<DroppedFiles, 'files'> = { tooDeep: [], isCut: false, unreadable: [] };

/** From what was chosen or dropped to an upload that runs. */
export function useUpload(
  session: UploadSession | undefined,
  name: Omit<KeptDrop, 'handles' | 'at' | 'folder'>,
  folder: string,
) {
  const [looking, setLooking] = useState<number>();
  const [review, setReview] = useState<UploadReview>();
  const [problem, setProblem] = useState<string>();
  const [kept, setKept] = useState<KeptDrop>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  useEffect(() => {
    void session?.records.findDrop(name).then(setKept);
  }, [session]);

  const start = (from: UploadReview, choice: ExistingChoice) => {
    setReview(undefined);
    void session?.uploader.add(chosenOf(from, choice));
  };

  const consider = async (files: ChosenFile[], to: string, walk = wholeWalk) => {
    if (session === undefined) return;
    const { signal } = controller.current;
    setProblem(undefined);
    setLooking(files.length);
    try {
      const plan = await planUpload(files, to);
      const existing = await findExisting(plan.files, session.repository.objects, signal);
      const found: UploadReview = { folder: to, plan, existing, walk };
      if (needsReview(found)) setReview(found);
      else start(found, 'skip');
    } catch (error) {
      if (!signal.aborted) setProblem(messageOf(error));
    } finally {
      setLooking(undefined);
    }
  };

  const walk = async (dropped: Iterable<Dropped>, to: string) => {
    const { signal } = controller.current;
    setLooking(0);
    try {
      const { files, ...rest } = await filesOf(dropped, signal, setLooking);
      await consider(files, to, rest);
    } catch (error) {
      if (!signal.aborted) setProblem(messageOf(error));
      setLooking(undefined);
    }
  };

  return {
    looking,
    review,
    problem,
    kept,
    start,
    dismiss: () => setReview(undefined),
    onFiles: (files: ChosenFile[]) => void consider(files, folder),
    onDropped: useCallback(
      (dropped: Dropped[]) => {
        const handles = dropped.filter((entry): entry is FileSystemHandle => 'kind' in entry);
        // Kept before the walk: closing the tab in its midst is no reason to look for the folder again.
        if (handles.length === dropped.length) {
          void session?.records.keepDrop({ ...name, folder, handles, at: Date.now() });
        }
        void walk(dropped, folder);
      },
      [session, folder],
    ),
    /** Opens again what was dropped before the page was left. The browser may ask the person. */
    goOn: async () => {
      if (kept === undefined) return;
      for (const handle of kept.handles as AskingHandle[]) {
        const state = (await handle.requestPermission?.({ mode: 'read' })) ?? 'granted';
        if (state !== 'granted') return setProblem(texts.permissionDenied);
      }
      setKept(undefined);
      await walk(kept.handles as Dropped[], kept.folder);
    },
    forget: async () => {
      setKept(undefined);
      await session?.records.forgetDrop(name);
    },
  };
}
