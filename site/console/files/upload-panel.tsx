import { shownName } from '../../../lib/pages/site/format.ts';
import type { UploadItem } from '../../upload/uploader.ts';
import { texts } from './texts.ts';
import type { UploadStatus } from './upload-status.ts';

export interface UploadPanelProps {
  status: UploadStatus;
  onPause: () => void;
  onResume: () => void;
  onCancel: () => void;
  onHide: () => void;
  onRetry: (items: readonly UploadItem[], overwrites: boolean) => void;
  /** Retries all failed files, also those that are not shown. */
  onRetryAll: () => void;
  onSkip: (item: UploadItem) => void;
}

/** Shows the progress of an upload: a sentence, a bar, the numbers, and the files that need an action. */
export function UploadPanel(props: UploadPanelProps) {
  const { status, onPause, onResume, onCancel, onHide, onRetry, onRetryAll, onSkip } = props;
  const { state, done, bytes, sentBytes, bytesPerSecond, restSeconds, troubled, troubledMore } = status;
  const isDone = state === 'done';
  const isHalted = state === 'paused' || state === 'stopped';
  const failed = troubled.filter((item) => item.state === 'failed');
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
          texts.bytesOf(sentBytes, bytes),
          bytesPerSecond !== undefined && texts.rate(bytesPerSecond),
          restSeconds !== undefined && texts.rest(restSeconds),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {isDone && done > 0 && (
        <p class="soft">{status.notTold === 0 ? texts.verified : texts.notTold(status.notTold)}</p>
      )}
      {status.active.length > 0 && (
        <ul class="transfers">
          {status.active.map((item) => (
            <li key={item.id}>
              <span class="path">{shownName(item.key)}</span>
              <progress aria-label={item.key} max={Math.max(1, item.file.size)} value={item.sentBytes} />
              <span class="soft">
                {item.state === 'sending' ? texts.bytesOf(item.sentBytes, item.file.size) : texts.states[item.state]}
              </span>
            </li>
          ))}
        </ul>
      )}
      {status.waiting > 0 && !isDone && <p class="soft">{texts.waitingMore(status.waiting)}</p>}
      {troubled.length > 0 && (
        <ul class="troubled">
          {troubled.map((item) => (
            <li key={item.id}>
              <span class="path">{shownName(item.key)}</span>
              <span class="soft">{item.state === 'exists' ? texts.states.exists : item.problem}</span>
              <span class="choices">
                {item.state === 'exists' ? (
                  <button
                    type="button"
                    class="button second"
                    aria-label={`${texts.replace} ${item.key}`}
                    onClick={() => onRetry([item], true)}
                  >
                    {texts.replace}
                  </button>
                ) : (
                  <button
                    type="button"
                    class="button second"
                    aria-label={`${texts.again} ${item.key}`}
                    onClick={() => onRetry([item], false)}
                  >
                    {texts.again}
                  </button>
                )}
                <button
                  type="button"
                  class="button second"
                  aria-label={`${texts.skip} ${item.key}`}
                  onClick={() => onSkip(item)}
                >
                  {texts.skip}
                </button>
              </span>
            </li>
          ))}
          {troubledMore > 0 && <li class="soft">{texts.moreTrouble(troubledMore)}</li>}
        </ul>
      )}
      <div class="actions">
        {!isDone && (
          <button type="button" class={isHalted ? 'button' : 'button second'} onClick={isHalted ? onResume : onPause}>
            {isHalted ? texts.resume : texts.pause}
          </button>
        )}
        {failed.length > 1 && (
          <button type="button" class="button second" onClick={onRetryAll}>
            {texts.retryAll}
          </button>
        )}
        {!isDone && (
          <button type="button" class="button second" onClick={onCancel}>
            {texts.cancelUpload}
          </button>
        )}
        {isDone && (
          <button type="button" class="button second" onClick={onHide}>
            {texts.hide}
          </button>
        )}
      </div>
    </section>
  );
}

function headline({ state, files, done }: UploadStatus): string {
  if (state === 'stopped') return texts.stopped;
  if (state === 'offline') return texts.offline;
  if (state === 'paused') return texts.paused(done, files);
  if (state === 'done') return done === files ? texts.uploaded(done) : texts.finished(done, files);
  return texts.uploading(done, files);
}
