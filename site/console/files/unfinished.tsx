import { formatCount, shownName } from '../../../lib/pages/site/format.ts';
import { Button } from '../components/button.tsx';
import { Minute } from '../components/time.tsx';
import { texts } from './texts.ts';
import type { KnownUnfinished } from './use-unfinished.ts';

interface UnfinishedProps {
  /** The multipart uploads in storage that no client has completed. */
  uploads: readonly KnownUnfinished[];
  /** The number of files and folders from an earlier drop that this browser can open again. */
  dropped: number;
  onResume: () => void;
  onDiscard: () => void;
  onRemove: (uploads: readonly KnownUnfinished[]) => void;
}

/** The maximum number of rows. When the user removes an upload, the next one appears. */
const shownMax = 20;

const origins: Record<KnownUnfinished['by'], string> = {
  this_browser: 'Started in this browser. Choose the same file again to upload only the missing parts.',
  another_tab: 'Running in another tab of this browser.',
  somebody: 'Started elsewhere. It may still be running, so ask before you remove it.',
};

/** Lists unfinished uploads: those that the user can resume, and those that can only be removed from storage. */
export function Unfinished({ uploads, dropped, onResume, onDiscard, onRemove }: UnfinishedProps) {
  if (uploads.length === 0 && dropped === 0) return null;
  const old = uploads.filter(({ isOld }) => isOld);
  return (
    <section class="card" aria-labelledby="unfinished-title">
      <h2 id="unfinished-title">Unfinished uploads</h2>
      {dropped > 0 && (
        <>
          <p>{texts.resumeHint(dropped)}</p>
          <div class="actions">
            <Button kind="button" label="Resume" onClick={onResume} />
            <Button label="Discard" onClick={onDiscard} />
          </div>
        </>
      )}
      {uploads.length > 0 && (
        <>
          <p class="soft">
            These uploads are incomplete. The storage holds their data, and charges for it, until you complete or remove
            them.
          </p>
          <ul class="troubled">
            {uploads.slice(0, shownMax).map((upload) => (
              <li key={upload.uploadId}>
                <span class="path">{shownName(upload.key)}</span>
                <span class="soft">
                  <Minute time={upload.startedAt} /> · {origins[upload.by]}
                </span>
                <span class="choices">
                  <Button label="Remove" of={upload.key} onClick={() => onRemove([upload])} />
                </span>
              </li>
            ))}
            {uploads.length > shownMax && <li class="soft">{`and ${formatCount(uploads.length - shownMax)} more`}</li>}
          </ul>
          {old.length > 1 && (
            <div class="actions">
              <Button label={`Remove the ${formatCount(old.length)} older than a week`} onClick={() => onRemove(old)} />
            </div>
          )}
        </>
      )}
    </section>
  );
}
