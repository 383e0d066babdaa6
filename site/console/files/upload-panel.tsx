import { formatBytes, formatCount, shownName } from '../../../lib/pages/site/format.ts';
import type { Uploader, UploadItem } from '../../upload/uploader.ts';
import { Button } from '../components/button.tsx';
import { duration, filesOf } from './texts.ts';
import type { UploadSession } from './upload-session.ts';
import type { UploadStatus } from './upload-status.ts';

/** Shows the progress of an upload: a sentence, a bar, the numbers, and the files that need an action. */
export function UploadPanel({ session, onCancel }: { session: UploadSession; onCancel: () => void }) {
  const { uploader } = session;
  const status = session.status();
  const { state, done, bytes, sentBytes, bytesPerSecond, restSeconds } = status;
  const isDone = state === 'done';
  const isHalted = state === 'paused' || state === 'stopped';
  /** All failed files, including those that the panel does not list. */
  const failed = uploader.items.filter((item) => item.state === 'failed');
  const retryFailed = () => {
    for (const item of failed) uploader.retry(item);
  };
  return (
    <section class="card upload" aria-labelledby="upload-title" data-state={state}>
      <div role="status">
        <h2 id="upload-title">{headline(status)}</h2>
      </div>
      {state === 'stopped' && (
        <p class="notice" role="alert">
          {status.problem}
        </p>
      )}
      <progress aria-labelledby="upload-title" max={Math.max(1, bytes)} value={bytes === 0 && isDone ? 1 : sentBytes} />
      <p class="numbers">
        {[
          progressOf(sentBytes, bytes),
          bytesPerSecond !== undefined && `${formatBytes(bytesPerSecond)}/s`,
          restSeconds !== undefined && `${duration(restSeconds)} left`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {isDone && done > 0 && (
        <p class="soft">
          {status.unconfirmed === 0
            ? 'The storage confirmed the checksum of every file.'
            : `The storage returned no checksum for ${filesOf(status.unconfirmed)}. Size and transfer were checked.`}
        </p>
      )}
      {status.active.length > 0 && <Transfers items={status.active} />}
      {status.waiting > 0 && !isDone && <p class="soft">{`${filesOf(status.waiting)} queued`}</p>}
      {status.troubled.length > 0 && <Troubled status={status} uploader={uploader} />}
      <div class="actions">
        {!isDone && (
          <Button
            kind={isHalted ? 'button' : 'button second'}
            label={isHalted ? 'Resume' : 'Pause'}
            onClick={() => (isHalted ? uploader.resume() : uploader.pause())}
          />
        )}
        {failed.length > 1 && <Button label="Retry all failed files" onClick={retryFailed} />}
        <Button label={isDone ? 'Done' : 'Cancel upload'} onClick={isDone ? () => session.clear() : onCancel} />
      </div>
    </section>
  );
}

function Transfers({ items }: { items: readonly UploadItem[] }) {
  return (
    <ul class="transfers">
      {items.map((item) => (
        <li key={item.id}>
          <span class="path">{shownName(item.key)}</span>
          <progress aria-label={item.key} max={Math.max(1, item.file.size)} value={item.sentBytes} />
          <span class="soft">
            {item.state === 'sending' ? progressOf(item.sentBytes, item.file.size) : states[item.state]}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Lists the files that failed and those whose key already exists, with actions to retry or replace. */
function Troubled({ status: { troubled, troubledMore }, uploader }: { status: UploadStatus; uploader: Uploader }) {
  return (
    <ul class="troubled">
      {troubled.map((item) => (
        <li key={item.id}>
          <span class="path">{shownName(item.key)}</span>
          <span class="soft">{item.state === 'exists' ? states.exists : item.problem}</span>
          <span class="choices">
            <Button
              label={item.state === 'exists' ? 'Replace' : 'Try again'}
              of={item.key}
              onClick={() => uploader.retry(item, { overwrites: item.state === 'exists' })}
            />
            <Button label="Skip" of={item.key} onClick={() => void uploader.cancel([item])} />
          </span>
        </li>
      ))}
      {troubledMore > 0 && <li class="soft">{`and ${formatCount(troubledMore)} more`}</li>}
    </ul>
  );
}

function headline({ state, files, done }: UploadStatus): string {
  const progress = `${formatCount(done)} of ${filesOf(files)}`;
  if (state === 'stopped') return 'The upload has stopped. No sent data is lost.';
  if (state === 'offline') return 'There is no connection. The upload continues when the connection is back.';
  if (state === 'paused') return `Paused: ${progress} done`;
  if (state === 'done') return `${done === files ? filesOf(done) : progress} uploaded`;
  return `Uploading: ${progress} done`;
}

const progressOf = (sent: number, all: number) => `${formatBytes(sent)} of ${formatBytes(all)}`;

const states: Record<UploadItem['state'], string> = {
  waiting: 'queued',
  checking: 'comparing',
  sending: 'uploading',
  finishing: 'finishing',
  done: 'uploaded',
  exists: 'a file with this name exists',
  failed: 'failed',
  cancelled: 'cancelled',
};
