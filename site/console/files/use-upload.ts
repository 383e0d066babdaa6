import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ChosenFile, commonFolder, planUpload, withoutFolder } from '../../upload/chosen-files.ts';
import { type Dropped, type DroppedFiles, filesOf } from '../../upload/dropped-files.ts';
import { findExisting } from '../../upload/existing-keys.ts';
import type { KeptDrop } from '../../upload/indexed-db-records.ts';
import { messageOf } from './message-of.ts';
import { chosenOf, type ExistingChoice, needsReview, type UploadReview } from './review-dialog.ts';
import { texts } from './texts.ts';
import type { UploadSession } from './upload-session.ts';

/** In Chromium alone. */
type AskingHandle = FileSystemHandle & { requestPermission?(options: { mode: 'read' }): Promise<PermissionState> };

interface Chosen {
  files: ChosenFile[];
  /** The folder of the repository. */
  to: string;
  walk: Omit<DroppedFiles, 'files'>;
  keepsFolder: boolean;
}

const wholeWalk: Chosen['walk'] = { tooDeep: [], isCut: false, unreadable: [] };

/** From what was chosen or dropped to an upload that runs. */
export function useUpload(
  session: UploadSession | undefined,
  name: Omit<KeptDrop, 'handles' | 'at' | 'folder' | 'keepsFolder'>,
  folder: string,
) {
  const [looking, setLooking] = useState<number>();
  const [review, setReview] = useState<UploadReview>();
  const [problem, setProblem] = useState<string>();
  const [kept, setKept] = useState<KeptDrop>();
  const controller = useRef(new AbortController());
  const chosen = useRef<Chosen | undefined>(undefined);
  /** What was dropped and is being looked through, or on its way. */
  const drop = useRef<KeptDrop | undefined>(undefined);
  useEffect(() => () => controller.current.abort(), []);
  useEffect(() => {
    void session?.records.findDrop(name).then(setKept);
  }, [session]);

  const start = (from: UploadReview, choice: ExistingChoice) => {
    setReview(undefined);
    if (drop.current !== undefined && from.keepsFolder !== (drop.current.keepsFolder ?? true)) {
      void session?.records.keepDrop({ ...drop.current, keepsFolder: from.keepsFolder });
    }
    void session?.uploader.add(chosenOf(from, choice));
  };

  const consider = async (all: Chosen) => {
    if (session === undefined) return;
    chosen.current = all;
    const { signal } = controller.current;
    const { files, to, walk, keepsFolder } = all;
    setProblem(undefined);
    setLooking(files.length);
    try {
      const below = commonFolder(files);
      const placed = below === undefined || keepsFolder ? files : withoutFolder(files, below);
      const plan = await planUpload(placed, to);
      const existing = await findExisting(plan.files, session.repository.objects, signal);
      // Somebody chose otherwise meanwhile.
      if (chosen.current !== all) return;
      const found: UploadReview = { folder: to, below, keepsFolder, plan, existing, walk };
      if (needsReview(found)) setReview(found);
      else start(found, 'skip');
    } catch (error) {
      if (chosen.current !== all) return;
      setReview(undefined);
      if (!signal.aborted) setProblem(messageOf(error));
    } finally {
      if (chosen.current === all) setLooking(undefined);
    }
  };

  const walk = async (dropped: Iterable<Dropped>, to: string, keepsFolder = true) => {
    const { signal } = controller.current;
    setLooking(0);
    try {
      const { files, ...rest } = await filesOf(dropped, signal, setLooking);
      await consider({ files, to, walk: rest, keepsFolder });
    } catch (error) {
      if (!signal.aborted) setProblem(messageOf(error));
      setLooking(undefined);
    }
  };

  return {
    looking,
    review,
    problem,
    /** Whether `again` has anything to look at. */
    mayTryAgain: chosen.current !== undefined,
    kept,
    start,
    dismiss: () => {
      chosen.current = undefined;
      setLooking(undefined);
      setReview(undefined);
    },
    /** Looks once more where what was chosen would go, by another wish or after a refusal. */
    again: (keepsFolder = chosen.current?.keepsFolder ?? true) => {
      setReview((shown) => shown && { ...shown, keepsFolder });
      if (chosen.current !== undefined) void consider({ ...chosen.current, keepsFolder });
    },
    onFiles: (files: ChosenFile[]) => {
      drop.current = undefined;
      void consider({ files, to: folder, walk: wholeWalk, keepsFolder: true });
    },
    onDropped: useCallback(
      (dropped: Dropped[]) => {
        const handles = dropped.filter((entry): entry is FileSystemHandle => 'kind' in entry);
        const isKept = handles.length === dropped.length;
        drop.current = isKept ? { ...name, folder, handles, at: Date.now() } : undefined;
        // Kept before the walk: closing the tab in its midst is no reason to look for the folder again.
        if (drop.current !== undefined) void session?.records.keepDrop(drop.current);
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
      drop.current = kept;
      await walk(kept.handles as Dropped[], kept.folder, kept.keepsFolder);
    },
    forget: async () => {
      setKept(undefined);
      drop.current = undefined;
      await session?.records.forgetDrop(name);
    },
  };
}
