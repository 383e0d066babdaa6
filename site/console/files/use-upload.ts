import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ChosenFile, commonFolder, planUpload, withoutFolder } from '../../upload/chosen-files.ts';
import { type Dropped, type DroppedFiles, filesOf } from '../../upload/dropped-files.ts';
import { findExisting } from '../../upload/existing-keys.ts';
import type { RecordName, StoredDrop } from '../../upload/upload-records.ts';
import { messageOf } from './parts.tsx';
import { chosenOf, type ExistingChoice, needsReview, type UploadReview } from './review-dialog.tsx';
import type { UploadSession } from './upload-session.ts';

/** File handle with a permission request. Only Chromium has it. */
type PermissionHandle = FileSystemHandle & { requestPermission?(options: { mode: 'read' }): Promise<PermissionState> };

interface Chosen {
  files: ChosenFile[];
  /** The target folder in the repository. */
  to: string;
  walk: Omit<DroppedFiles, 'files'>;
  keepsFolder: boolean;
  /** The stored drop, if the browser can open its files again. */
  drop: StoredDrop | undefined;
}

const wholeWalk: Chosen['walk'] = { tooDeep: [], isCut: false, unreadable: [] };

/** Handles files from the choice or drop to the running upload. */
export function useUpload(session: UploadSession | undefined, name: Omit<RecordName, 'key'>, folder: string) {
  const [checking, setChecking] = useState<number>();
  const [review, setReview] = useState<UploadReview>();
  const [problem, setProblem] = useState<string>();
  const [drops, setDrops] = useState<readonly StoredDrop[]>([]);
  const controller = useRef(new AbortController());
  /** The files under review, or those of a failed attempt that can be retried. */
  const chosen = useRef<Chosen | undefined>(undefined);
  const isRefused = useRef(false);
  /** Files that the user chose during a review. Each choice gets its own review. */
  const waiting = useRef<Chosen[]>([]);
  useEffect(() => () => controller.current.abort(), []);
  useEffect(() => {
    void session?.records.findDrops(name).then(setDrops);
  }, [session]);

  const take = (all: Chosen) => {
    if (chosen.current === undefined || isRefused.current) void consider(all);
    else waiting.current.push(all);
  };

  const settle = () => {
    chosen.current = undefined;
    setReview(undefined);
    setChecking(undefined);
    const next = waiting.current.shift();
    if (next !== undefined) void consider(next);
  };

  const start = (from: UploadReview, choice: ExistingChoice) => {
    const drop = chosen.current?.drop;
    if (drop !== undefined) session?.beginDrop({ ...drop, keepsFolder: from.keepsFolder });
    void session?.uploader.add(chosenOf(from, choice));
    settle();
  };

  const consider = async (all: Chosen) => {
    if (session === undefined) return;
    chosen.current = all;
    isRefused.current = false;
    const { signal } = controller.current;
    const { files, to, walk, keepsFolder } = all;
    setProblem(undefined);
    setChecking(files.length);
    try {
      const below = commonFolder(files);
      const placed = below === undefined || keepsFolder ? files : withoutFolder(files, below);
      const plan = await planUpload(placed, to);
      const existing = await findExisting(plan.files, session.repository.objects, signal);
      // The user has changed the choice in the meantime.
      if (chosen.current !== all) return;
      const found: UploadReview = { folder: to, below, keepsFolder, plan, existing, walk };
      if (needsReview(found)) setReview(found);
      else start(found, 'skip');
    } catch (error) {
      if (chosen.current !== all) return;
      setReview(undefined);
      isRefused.current = true;
      if (!signal.aborted) setProblem(messageOf(error));
    } finally {
      if (chosen.current === all) setChecking(undefined);
    }
  };

  const walk = async (dropped: Iterable<Dropped>, to: string, drop: StoredDrop | undefined) => {
    const { signal } = controller.current;
    setChecking(0);
    try {
      const { files, ...rest } = await filesOf(dropped, signal, setChecking);
      setChecking(undefined);
      take({ files, to, walk: rest, keepsFolder: drop?.keepsFolder ?? true, drop });
    } catch (error) {
      if (!signal.aborted) setProblem(messageOf(error));
      setChecking(undefined);
    }
  };

  return {
    checking,
    review,
    problem,
    /** True when `retry` has files to check. */
    mayRetry: chosen.current !== undefined,
    drops,
    start,
    dismiss: settle,
    /** Checks the chosen files again, with another folder option or after a failure. */
    retry: (keepsFolder = chosen.current?.keepsFolder ?? true) => {
      setReview((shown) => shown && { ...shown, keepsFolder });
      if (chosen.current !== undefined) void consider({ ...chosen.current, keepsFolder });
    },
    onFiles: (files: ChosenFile[]) => take({ files, to: folder, walk: wholeWalk, keepsFolder: true, drop: undefined }),
    onDropped: useCallback(
      (dropped: Dropped[]) => {
        const handles = dropped.filter((entry): entry is FileSystemHandle => 'kind' in entry);
        const isCacheable = handles.length === dropped.length;
        const drop = isCacheable ? { ...name, id: crypto.randomUUID(), folder, handles, at: Date.now() } : undefined;
        // Stored before the walk of the folders, so that a closed tab does not lose the choice.
        if (drop !== undefined) void session?.takeUp(drop);
        void walk(dropped, folder, drop);
      },
      [session, folder],
    ),
    /** Opens again the files that were dropped in an earlier page. The browser may ask for permission. */
    resume: async () => {
      for (const handle of drops.flatMap(({ handles }) => handles as PermissionHandle[])) {
        const state = (await handle.requestPermission?.({ mode: 'read' })) ?? 'granted';
        if (state === 'granted') continue;
        // Mark the drops as begun. After the user chooses and uploads the files again, they are not offered any more.
        for (const drop of drops) if (await session?.takeUp(drop)) session?.beginDrop(drop);
        return setProblem(
          'The browser did not allow access to the files. Choose them again to upload only the missing parts.',
        );
      }
      setDrops([]);
      for (const drop of drops) {
        if (await session?.takeUp(drop)) await walk(drop.handles as Dropped[], drop.folder, drop);
      }
    },
    discard: async () => {
      setDrops([]);
      for (const drop of drops) await session?.records.forgetDrop(drop);
    },
  };
}
