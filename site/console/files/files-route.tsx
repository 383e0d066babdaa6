import { useEffect, useReducer, useState } from 'preact/hooks';
import { shownName } from '../../../lib/pages/site/format.ts';
import { repositoryPath } from '../../../lib/pages/site/links.ts';
import type { ManagementApi } from '../../data/credentials.ts';
import { encodeKey, findKeyFault, type RepositoryPath } from '../../data/keys.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { ChooseFiles } from './choose-files.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { FileDialog } from './file-dialog.tsx';
import { FolderTable } from './folder-table.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { BusyNotice, Refusal } from './parts.tsx';
import { RemoveUnfinishedDialog } from './remove-unfinished-dialog.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { filesOf, texts } from './texts.ts';
import { Unfinished } from './unfinished.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { type UploadSession, uploadSessionOf } from './upload-session.ts';
import { type FolderState, useFolder } from './use-folder.ts';
import { type KnownUnfinished, removeUnfinished, useUnfinished } from './use-unfinished.ts';
import { useUpload } from './use-upload.ts';

interface FilesRouteProps {
  location: RepositoryPath;
  /** The prefix of the shown folder. It is empty, or it ends in a slash. */
  folder: string;
  /** The account ID of the signed-in user. */
  owner: string;
  /** True when the user has a role with write access to the repository. */
  isWriter: boolean;
  /** True when the user may create links to the data, and the data is not open. */
  mayShare: boolean;
  api: ManagementApi;
  dataUrl: string;
  /** True when the repository is open data. */
  isOpen: boolean;
  hrefOf: (folder: string) => string;
}

/** The open dialog, with its data. */
type Open =
  | { kind: 'file'; key: string }
  | { kind: 'share'; prefix: string }
  | { kind: 'delete' | 'move'; names: readonly string[] }
  | { kind: 'cancel_upload' }
  | { kind: 'remove_unfinished'; uploads: readonly KnownUnfinished[] };

/** Shows the files of a repository, with upload, move, share, and delete. */
export function FilesRoute(props: FilesRouteProps) {
  const { location, folder, owner, isWriter, mayShare, isOpen, hrefOf } = props;
  const session = useSession(props);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Open>();
  const [result, setResult] = useState('');
  const files = useFolder(session, folder, isWriter);
  const upload = useUpload(session, { owner, ...location }, folder);
  const isUploading = useUploadEnd(session, files.reload);
  useEffect(() => setSelected(new Set()), [folder]);
  const done = (sentence: string) => {
    setOpen(undefined);
    setSelected(new Set());
    setResult(sentence);
    files.reload();
  };
  const waits = session?.repository.waits;
  return (
    <>
      {folder !== '' && <FolderCrumbs folder={folder} hrefOf={hrefOf} />}
      {isOpen && <PublicPage path={repositoryPath(location, folder)} />}
      {mayShare && (
        <p class="actions">
          <Button label="Share a link" onClick={() => setOpen({ kind: 'share', prefix: folder })} />
          <span class="soft">Readers of a link need no account.</span>
        </p>
      )}
      <UploadArea {...props} {...{ session, files, upload, isUploading, open, setOpen, result }} />
      {selected.size > 0 && (
        <SelectionActions count={selected.size} onAct={(kind) => setOpen({ kind, names: [...selected] })} />
      )}
      {files.page === undefined && files.problem === undefined && (
        <p class="soft" role="status">
          Loading …
        </p>
      )}
      {files.page !== undefined && (
        <FolderTable
          folder={folder}
          page={files.page}
          isFirst={files.isFirst}
          mayWrite={files.mayWrite ?? false}
          isUploading={isUploading}
          selected={selected}
          hrefOf={hrefOf}
          onSelect={(names, isSelected) => setSelected(withNames(selected, names, isSelected))}
          onOpen={(key) => setOpen({ kind: 'file', key })}
          onPage={files.open}
        />
      )}
      {upload.review !== undefined && waits !== undefined && (
        <ReviewDialog
          review={upload.review}
          waits={waits}
          isChecking={upload.checking !== undefined}
          onKeepFolder={upload.retry}
          onChoose={(choice) => upload.review && upload.start(upload.review, choice)}
          onCancel={upload.dismiss}
        />
      )}
      {open !== undefined && session !== undefined && (
        <OpenDialog {...props} {...{ open, setOpen, session, files, done }} />
      )}
    </>
  );
}

interface UploadAreaProps extends FilesRouteProps {
  session: UploadSession | undefined;
  files: FolderState;
  upload: ReturnType<typeof useUpload>;
  isUploading: boolean;
  open: Open | undefined;
  setOpen: (open: Open) => void;
  /** A sentence about the result of the last dialog, such as the number of deleted files. */
  result: string;
}

/** Shows the buttons that choose files, the progress of uploads, and the messages of the view. */
function UploadArea(props: UploadAreaProps) {
  const { session, files, upload, isUploading, open, setOpen, result, location, folder, owner } = props;
  const waits = session?.repository.waits;
  const unfinished = useUnfinished(session, files.unfinished, { owner, ...location });
  return (
    <>
      {files.mayWrite && <ChooseFiles folder={folder} onFiles={upload.onFiles} onDropped={upload.onDropped} />}
      {files.mayWrite === false && files.page !== undefined && (
        <p class="soft">
          You can read these files, but not change them. A maintainer of the repository can make you a writer.
        </p>
      )}
      {upload.checking !== undefined && (
        <p role="status">{`Checking your selection: ${filesOf(upload.checking)} so far…`}</p>
      )}
      {open === undefined && upload.review === undefined && waits !== undefined && <BusyNotice waits={waits} />}
      {upload.problem !== undefined && (
        <Refusal sentence={upload.problem} onRetry={upload.mayRetry ? () => upload.retry() : undefined} />
      )}
      {files.problem !== undefined && <Refusal sentence={files.problem} onRetry={files.reload} />}
      <p class="said" role="status">
        {result}
      </p>
      {session !== undefined && isUploading && (
        <UploadPanel session={session} onCancel={() => setOpen({ kind: 'cancel_upload' })} />
      )}
      {!isUploading && files.mayWrite && (
        <Unfinished
          uploads={unfinished}
          dropped={upload.drops.reduce((sum, { handles }) => sum + handles.length, 0)}
          onResume={upload.resume}
          onDiscard={upload.discard}
          onRemove={(uploads) => setOpen({ kind: 'remove_unfinished', uploads })}
        />
      )}
    </>
  );
}

/** Opens the repository's upload session, and renders the view again whenever the session changes. */
function useSession({ api, dataUrl, location, owner }: FilesRouteProps): UploadSession | undefined {
  const [session, setSession] = useState<UploadSession>();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    void uploadSessionOf({ api, dataUrl, location, owner }).then(setSession);
  }, [location.account_id, location.repository_id, owner]);
  useEffect(() => session?.subscribe(() => draw(0)), [session]);
  return session;
}

/** Reloads the folder after an upload has finished. Returns true while the page shows an upload. */
function useUploadEnd(session: UploadSession | undefined, reload: () => void): boolean {
  const status = session?.status();
  const isUploading = status !== undefined && status.files > 0;
  const isDone = isUploading && status.state === 'done';
  useEffect(() => {
    if (!isDone) return;
    reload();
    if (status.done === status.files) void session?.forgetDrops();
    // A short upload may begin and finish before the next render, so that `isDone` seems unchanged. The total count of
    // finished files still changes.
  }, [isDone, status?.doneEver]);
  return isUploading;
}

interface OpenDialogProps extends FilesRouteProps {
  open: Open;
  setOpen: (open: Open | undefined) => void;
  session: UploadSession;
  files: FolderState;
  /** Closes the dialog, shows a sentence about the result, and reloads the folder. */
  done: (sentence: string) => void;
}

function OpenDialog(props: OpenDialogProps) {
  const { open, setOpen, session, files, done, location, folder, owner, mayShare, dataUrl, isOpen } = props;
  const { repository } = session;
  const onClose = () => setOpen(undefined);
  if (open.kind === 'share') return <ShareDialog location={location} prefix={open.prefix} onClose={onClose} />;
  if (open.kind === 'file') {
    const { key } = open;
    const hasUrl = isOpen && findKeyFault(key) !== 'dots';
    return (
      <FileDialog
        name={key}
        repository={repository}
        openUrl={hasUrl ? `${dataUrl}/${location.account_id}/${location.repository_id}/${encodeKey(key)}` : undefined}
        publicPage={isOpen ? repositoryPath(location, key) : undefined}
        mayWrite={files.mayWrite ?? false}
        onShare={mayShare ? () => setOpen({ kind: 'share', prefix: key }) : undefined}
        onMove={() => setOpen({ kind: 'move', names: [key] })}
        onDelete={() => setOpen({ kind: 'delete', names: [key] })}
        onClose={onClose}
      />
    );
  }
  if (open.kind === 'remove_unfinished') {
    return (
      <RemoveUnfinishedDialog
        uploads={open.uploads}
        bytesOf={(of, signal) => repository.multipart.storedBytes(of, signal)}
        onRemove={() => {
          onClose();
          void removeUnfinished(session, open.uploads, { owner, ...location }).then(done);
        }}
        onClose={onClose}
      />
    );
  }
  if (open.kind === 'cancel_upload') {
    const cancel = () => void session.uploader.cancelAll().then(() => done(''));
    return (
      <Dialog title="Cancel upload" onClose={onClose}>
        <p>Uploaded files remain. Incomplete files are deleted.</p>
        <div class="actions">
          <Button kind="button danger" label="Cancel upload" onClick={cancel} />
          <Button label="Continue upload" onClick={onClose} />
        </div>
      </Dialog>
    );
  }
  const selection = { names: open.names, repository, listed: files.page?.objects ?? [], onDone: done, onClose };
  if (open.kind === 'delete') return <DeleteDialog {...selection} />;
  return <MoveDialog {...selection} folder={folder} onFailed={files.reload} />;
}

function PublicPage({ path }: { path: string }) {
  return (
    <p>
      <a href={path}>Public page</a> <CopyButton text={window.location.origin + path} label="the public link" />
    </p>
  );
}

function SelectionActions({ count, onAct }: { count: number; onAct: (kind: 'move' | 'delete') => void }) {
  return (
    <div class="actions selection" role="group" aria-label={texts.selected(count)}>
      <span>{texts.selected(count)}</span>
      <Button label="Move or rename" onClick={() => onAct('move')} />
      <Button label="Delete" onClick={() => onAct('delete')} />
    </div>
  );
}

function FolderCrumbs({ folder, hrefOf }: Pick<FilesRouteProps, 'folder' | 'hrefOf'>) {
  const labels = folder.split('/').slice(0, -1);
  return (
    <nav aria-label="Files">
      <ol class="crumbs">
        <li>
          <a href={hrefOf('')}>Top folder</a>
        </li>
        {labels.map((label, index) => {
          const path = `${labels.slice(0, index + 1).join('/')}/`;
          return (
            <li key={path}>
              <a href={hrefOf(path)}>{shownName(label)}</a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function withNames(selected: ReadonlySet<string>, names: readonly string[], isSelected: boolean): ReadonlySet<string> {
  return isSelected ? new Set([...selected, ...names]) : new Set([...selected].filter((name) => !names.includes(name)));
}
