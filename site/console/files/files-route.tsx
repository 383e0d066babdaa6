import { useEffect, useReducer, useState } from 'preact/hooks';
import { shownName } from '../../../lib/pages/site/format.ts';
import { repositoryPath } from '../../../lib/pages/site/links.ts';
import type { ManagementApi } from '../../data/credentials.ts';
import { encodeKey, findKeyFault, type RepositoryPath } from '../../data/keys.ts';
import { storedBytes } from '../../data/multipart.ts';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { BusyNotice } from './busy-notice.tsx';
import { ChooseFiles } from './choose-files.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { atOnceMax, findEverything, moveEverything, removeEverything } from './everything.ts';
import { FileDialog } from './file-dialog.tsx';
import { FolderTable } from './folder-table.tsx';
import { type Move, MoveDialog } from './move-dialog.tsx';
import type { OpenRepository } from './open-repository.ts';
import { RemoveUnfinishedDialog } from './remove-unfinished-dialog.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import { texts } from './texts.ts';
import { Unfinished } from './unfinished.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { type UploadSession, uploadSessionOf } from './upload-session.ts';
import { useFolder } from './use-folder.ts';
import { type KnownUnfinished, removeUnfinished, useUnfinished } from './use-unfinished.ts';
import { useUpload } from './use-upload.ts';

export interface FilesRouteProps {
  place: RepositoryPath;
  /** Empty, or a prefix that ends in a slash. */
  folder: string;
  /** The account ID of the signed-in user. */
  owner: string;
  /** True when the user has a role with write access. */
  isWriter: boolean;
  api: ManagementApi;
  dataUrl: string;
  /** True when the repository is open data. */
  isOpen: boolean;
  hrefOf: (folder: string) => string;
}

type Open =
  | { kind: 'file'; key: string }
  | { kind: 'delete' | 'move'; names: readonly string[] }
  | { kind: 'cancel_upload' }
  | { kind: 'remove_unfinished'; uploads: readonly KnownUnfinished[] };

/** Shows the files of a repository, with upload, move, share, and delete. */
export function FilesRoute({ place, folder, owner, isWriter, api, dataUrl, isOpen, hrefOf }: FilesRouteProps) {
  const name = { owner, ...place };
  const [session, setSession] = useState<UploadSession>();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Open>();
  const [said, setSaid] = useState('');
  const files = useFolder(session, folder, isWriter);
  const upload = useUpload(session, name, folder);
  useEffect(() => {
    void uploadSessionOf({ api, dataUrl, place, owner }).then(setSession);
  }, [place.account_id, place.repository_id, owner]);
  useEffect(() => session?.subscribe(() => draw(0)), [session]);
  useEffect(() => setSelected(new Set()), [folder]);
  const status = session?.status();
  const isUploading = status !== undefined && status.files > 0;
  const isDone = isUploading && status.state === 'done';
  useEffect(() => {
    if (!isDone) return;
    files.reload();
    if (status.done === status.files) void session?.forgetDrops();
    // A short second upload may finish before the next render. Only the total count shows that.
  }, [isDone, status?.doneEver]);

  const close = () => setOpen(undefined);
  const changed = (sentence: string) => {
    close();
    setSelected(new Set());
    setSaid(sentence);
    files.reload();
  };

  const find = (
    { objects }: OpenRepository,
    names: readonly string[],
    signal: AbortSignal,
    onFound?: (count: number) => void,
  ) => findEverything(objects, names, { listed: files.page?.objects ?? [], signal, onFound });

  const remove = async ({ objects }: OpenRepository, keys: readonly string[], onDone: (count: number) => void) => {
    const failed = await removeEverything(objects, keys, onDone);
    const [first] = failed;
    changed(first === undefined ? texts.deleted(keys.length) : texts.notDeleted(failed.length, first.message));
  };

  const move = async (
    { mover }: OpenRepository,
    moves: readonly Move[],
    signal: AbortSignal,
    onDone: (count: number) => void,
  ) => {
    try {
      await moveEverything(mover, moves, signal, onDone);
    } catch (error) {
      files.reload();
      throw error;
    }
    changed(texts.movedAll(moves.length));
  };

  const waits = session?.repository.waits;
  const publicPath = repositoryPath(place, folder);
  const unfinished = useUnfinished(session, files.unfinished, name);
  return (
    <>
      {folder !== '' && (
        <nav aria-label={texts.files}>
          <ol class="crumbs">
            <li>
              <a href={hrefOf('')}>{texts.top}</a>
            </li>
            {crumbsOf(folder).map((crumb) => (
              <li key={crumb.folder}>
                <a href={hrefOf(crumb.folder)}>{shownName(crumb.label)}</a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {isOpen && (
        <p>
          <a href={publicPath}>{texts.publicPage}</a>{' '}
          <CopyButton text={location.origin + publicPath} label={texts.publicLink} />
        </p>
      )}
      {files.mayWrite && <ChooseFiles folder={folder} onFiles={upload.onFiles} onDropped={upload.onDropped} />}
      {files.mayWrite === false && files.page !== undefined && <p class="soft">{texts.mayNotWrite}</p>}
      {upload.looking !== undefined && <p role="status">{texts.looking(upload.looking)}</p>}
      {open === undefined && upload.review === undefined && waits !== undefined && <BusyNotice waits={waits} />}
      {upload.problem !== undefined && (
        <Refusal sentence={upload.problem} onAgain={upload.mayTryAgain ? () => upload.again() : undefined} />
      )}
      {files.problem !== undefined && <Refusal sentence={files.problem} onAgain={files.reload} />}
      <p class="said" role="status">
        {said}
      </p>
      {session !== undefined && isUploading && (
        <UploadPanel
          status={status}
          onPause={() => session.uploader.pause()}
          onResume={() => session.uploader.resume()}
          onCancel={() => setOpen({ kind: 'cancel_upload' })}
          onHide={() => session.clear()}
          onRetry={(items, overwrites) => {
            for (const item of items) session.uploader.retry(item, { overwrites });
          }}
          onRetryAll={() => {
            for (const item of session.uploader.items) if (item.state === 'failed') session.uploader.retry(item);
          }}
          onSkip={(item) => session.uploader.cancel([item])}
        />
      )}
      {!isUploading && files.mayWrite && (
        <Unfinished
          uploads={unfinished}
          kept={upload.kept.reduce((sum, { handles }) => sum + handles.length, 0)}
          onGoOn={upload.goOn}
          onForget={upload.forget}
          onRemove={(uploads) => setOpen({ kind: 'remove_unfinished', uploads })}
        />
      )}
      {selected.size > 0 && (
        <div class="actions selection" role="group" aria-label={texts.selected(selected.size)}>
          <span>{texts.selected(selected.size)}</span>
          <button type="button" class="button second" onClick={() => setOpen({ kind: 'move', names: [...selected] })}>
            {texts.move}
          </button>
          <button type="button" class="button second" onClick={() => setOpen({ kind: 'delete', names: [...selected] })}>
            {texts.delete}
          </button>
        </div>
      )}
      {files.page === undefined ? (
        files.problem === undefined && (
          <p class="soft" role="status">
            {texts.loading}
          </p>
        )
      ) : (
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
          isLooking={upload.looking !== undefined}
          onKeepFolder={upload.again}
          onChoose={(choice) => upload.review && upload.start(upload.review, choice)}
          onCancel={upload.dismiss}
        />
      )}
      {open?.kind === 'file' && session !== undefined && (
        <FileDialog
          name={open.key}
          openUrl={
            isOpen && findKeyFault(open.key) !== 'dots'
              ? `${dataUrl}/${place.account_id}/${place.repository_id}/${encodeKey(open.key)}`
              : undefined
          }
          publicPage={isOpen ? repositoryPath(place, open.key) : undefined}
          mayWrite={files.mayWrite ?? false}
          waits={session.repository.waits}
          find={(signal) => session.repository.objects.find(open.key, signal)}
          share={(seconds, isDownload) => session.repository.share(open.key, seconds, isDownload)}
          onMove={() => setOpen({ kind: 'move', names: [open.key] })}
          onDelete={() => setOpen({ kind: 'delete', names: [open.key] })}
          onClose={close}
        />
      )}
      {open?.kind === 'delete' && session !== undefined && (
        <DeleteDialog
          names={open.names}
          max={atOnceMax}
          waits={session.repository.waits}
          count={(signal, onFound) => find(session.repository, open.names, signal, onFound)}
          onDelete={(keys, onDone) => remove(session.repository, keys, onDone)}
          onClose={close}
        />
      )}
      {open?.kind === 'move' && session !== undefined && (
        <MoveDialog
          folder={folder}
          names={open.names}
          max={atOnceMax}
          waits={session.repository.waits}
          list={(signal) => find(session.repository, open.names, signal)}
          onMove={(moves, signal, onDone) => move(session.repository, moves, signal, onDone)}
          onClose={close}
        />
      )}
      {open?.kind === 'remove_unfinished' && session !== undefined && (
        <RemoveUnfinishedDialog
          uploads={open.uploads}
          bytesOf={(of, signal) => storedBytes(session.repository.multipart, of, signal)}
          onRemove={() => {
            close();
            void removeUnfinished(session, open.uploads, name).then(changed);
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'cancel_upload' && (
        <Dialog title={texts.cancelUpload} onClose={close}>
          <p>{texts.cancelSentence}</p>
          <div class="actions">
            <button
              type="button"
              class="button danger"
              onClick={() => void session?.uploader.cancelAll().then(() => changed(''))}
            >
              {texts.cancelUpload}
            </button>
            <button type="button" class="button second" onClick={close}>
              {texts.keepUploading}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Refusal({ sentence, onAgain }: { sentence: string; onAgain: (() => void) | undefined }) {
  return (
    <p class="notice" role="alert">
      {sentence}{' '}
      {onAgain !== undefined && (
        <button type="button" class="button second" onClick={onAgain}>
          {texts.again}
        </button>
      )}
    </p>
  );
}

function crumbsOf(folder: string): { label: string; folder: string }[] {
  const labels = folder.split('/').slice(0, -1);
  return labels.map((label, index) => ({ label, folder: `${labels.slice(0, index + 1).join('/')}/` }));
}

function withNames(selected: ReadonlySet<string>, names: readonly string[], isSelected: boolean): ReadonlySet<string> {
  return isSelected ? new Set([...selected, ...names]) : new Set([...selected].filter((name) => !names.includes(name)));
}
