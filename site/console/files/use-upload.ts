import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ChosenFile, commonFolder, planUpload, withoutFolder } from '../../upload/chosen-files.ts';
import { type Dropped, type DroppedFiles, filesOf } from '../../upload/dropped-files.ts';
import { findExisting } from '../../upload/existing-keys.ts';
import type { RecordName, StoredDrop } from '../../upload/upload-records.ts';
import { messageOf } from './parts.tsx';
import { chosenOf, type ExistingChoice, needsReview, type UploadReview } from './review-dialog.tsx';
import type { UploadSession } from './upload-session.ts';

/** A file handle that can ask the user for permission. Only Chromium has such handles. */
type PermissionHandle = FileSystemHandle & { requestPermission?(options: { mode: 'read' }): Promise<PermissionState> };

interface Chosen {
  files: ChosenFile[];
  /** The folder in the repository to which the files are uploaded. */
  to: string;
  walk: Omit<DroppedFiles, 'files'>;
  keepsFolder: boolean;
  /** The stored record of the drop, if the browser can open its files again after a reload. */
  drop: StoredDrop | undefined;
}

const wholeWalk: Chosen['walk'] = { tooDeep: [], isCut: false, unreadable: [] };

type Session = UploadSession | undefined;
type Progress = ReturnType<typeof useProgress>;

/** Handles an upload from the choice or drop of files until the upload runs. */
export function useUpload(session: Session, name: Omit<RecordName, 'key'>, folder: string) {
  const progress = useProgress();
  const { checking, problem } = progress;
  const reviews = useReviews(session, progress);
  return {
    checking,
    problem,
    ...reviews,
    ...useDrops(session, name, folder, progress, reviews.take),
    onFiles: (files: ChosenFile[]) =>
      reviews.take({ files, to: folder, walk: wholeWalk, keepsFolder: true, drop: undefined }),
  };
}

/** Holds the progress of a check of chosen or dropped files. The signal stops the check when the view closes. */
function useProgress() {
  const [checking, setChecking] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  return { checking, setChecking, problem, setProblem, signal: controller.current.signal };
}

/** Plans the upload of chosen files. Starts it at once, or after a review if the user must confirm. */
function useReviews(session: Session, { setChecking, setProblem, signal }: Progress) {
  const [review, setReview] = useState<UploadReview>();
  /** The files that the user reviews now, or the files of a failed check that the user can retry. */
  const chosen = useRef<Chosen | undefined>(undefined);
  const isRefused = useRef(false);
  /** Files that the user chose while another review was open. Each of these choices gets its own review. */
  const waiting = useRef<Chosen[]>([]);

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
    setProblem(undefined);
    setChecking(all.files.length);
    try {
      const planned = await planReview(all, session, signal);
      // Discard the result, because the user has chosen other files during the check.
      if (chosen.current !== all) return;
      if (needsReview(planned)) setReview(planned);
      else start(planned, 'skip');
    } catch (error) {
      if (chosen.current !== all) return;
      setReview(undefined);
      isRefused.current = true;
      if (!signal.aborted) setProblem(messageOf(error));
    } finally {
      if (chosen.current === all) setChecking(undefined);
    }
  };

  /** Checks the chosen files again: with another `keepsFolder` setting, or after a failure. */
  const retry = (keepsFolder = chosen.current?.keepsFolder ?? true) => {
    setReview((shown) => shown && { ...shown, keepsFolder });
    if (chosen.current !== undefined) void consider({ ...chosen.current, keepsFolder });
  };

  // `mayRetry` is true while there are files that `retry` can check.
  return { review, take, start, dismiss: settle, retry, mayRetry: chosen.current !== undefined };
}

async function planReview(
  { files, to, walk, keepsFolder }: Chosen,
  { repository }: UploadSession,
  signal: AbortSignal,
): Promise<UploadReview> {
  const below = commonFolder(files);
  const placed = below === undefined || keepsFolder ? files : withoutFolder(files, below);
  const plan = await planUpload(placed, to);
  const existing = await findExisting(plan.files, repository.objects, signal);
  return { folder: to, below, keepsFolder, plan, existing, walk };
}

/**
 * Lists the files in dropped folders. Stores the drop if the browser can, so that the user can resume it after a
 * reload.
 */
function useDrops(
  session: Session,
  name: Omit<RecordName, 'key'>,
  folder: string,
  { setChecking, setProblem, signal }: Progress,
  take: (all: Chosen) => void,
) {
  const [drops, setDrops] = useState<readonly StoredDrop[]>([]);
  useEffect(() => {
    void session?.records.findDrops(name).then(setDrops);
  }, [session]);

  const walk = async (dropped: Iterable<Dropped>, to: string, drop: StoredDrop | undefined) => {
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
    drops,
    onDropped: useCallback(
      (dropped: Dropped[]) => {
        const handles = dropped.filter((entry): entry is FileSystemHandle => 'kind' in entry);
        const isCacheable = handles.length === dropped.length;
        const drop = isCacheable ? { ...name, id: crypto.randomUUID(), folder, handles, at: Date.now() } : undefined;
        // Store the drop before listing its folders, so that it is not lost if the user closes the tab meanwhile.
        if (drop !== undefined) void session?.takeUp(drop);
        void walk(dropped, folder, drop);
      },
      [session, folder],
    ),
    /** Opens the files of a drop from an earlier page. The browser may ask the user for permission. */
    resume: async () => {
      for (const handle of drops.flatMap(({ handles }) => handles as PermissionHandle[])) {
        const state = (await handle.requestPermission?.({ mode: 'read' })) ?? 'granted';
        if (state === 'granted') continue;
        // The files cannot be opened, so the user must choose them again. Mark the drops as begun, so that the page
        // stops offering them after that upload.
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
