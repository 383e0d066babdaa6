import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { formatMinute } from '../../../lib/pages/site/format.ts';
import type { RepositoryPlace } from '../../data/keys.ts';
import type { UnfinishedUpload } from '../../data/multipart.ts';
import { texts } from './texts.ts';
import type { UploadSession } from './upload-session.ts';

interface UnfinishedProps {
  /** Uploads at the storage, with whether this browser began them. */
  uploads: readonly (UnfinishedUpload & { isOurs: boolean })[];
  /** How many files and folders were left that the browser can still open. */
  kept: number;
  onGoOn: () => void;
  onForget: () => void;
  onRemove: (upload: UnfinishedUpload) => void;
}

/** Removing some shows the others. */
const shownMax = 20;

/** What was begun and left: what may go on, and what storage keeps for nobody. */
export function Unfinished({ uploads, kept, onGoOn, onForget, onRemove }: UnfinishedProps) {
  if (uploads.length === 0 && kept === 0) return null;
  return html`<section class="card" aria-labelledby="unfinished-title">
    <h2 id="unfinished-title">${texts.unfinished}</h2>
    ${
      kept > 0 &&
      html`<p>${texts.goOnHint(kept)}</p>
        <div class="actions">
          <button type="button" class="button" onClick=${onGoOn}>${texts.goOn}</button>
          <button type="button" class="button second" onClick=${onForget}>${texts.forget}</button>
        </div>`
    }
    ${
      uploads.length > 0 &&
      html`<p class="soft">${texts.unfinishedHint}</p>
        <ul class="troubled">
          ${uploads.slice(0, shownMax).map(
            (upload) => html`<li key=${upload.uploadId}>
              <span class="path">${upload.key}</span>
              <span class="soft">${formatMinute(upload.startedAt)} · ${upload.isOurs ? texts.unfinishedHere : texts.unfinishedElsewhere}</span>
              <span class="choices"><button type="button" class="button second" aria-label=${`${texts.remove} ${upload.key}`} onClick=${() => onRemove(upload)}>${texts.remove}</button></span>
            </li>`,
          )}
          ${uploads.length > shownMax && html`<li class="soft">${texts.moreTrouble(uploads.length - shownMax)}</li>`}
        </ul>`
    }
  </section>`;
}

/** Which of the unfinished uploads this browser began, so that it can go on with them. */
export function useOurUploads(
  session: UploadSession | undefined,
  unfinished: readonly UnfinishedUpload[],
  name: { owner: string } & RepositoryPlace,
) {
  const [ours, setOurs] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    void session?.records.list(name).then((records) => setOurs(new Set(records.map(({ uploadId }) => uploadId))));
  }, [session, unfinished]);
  return unfinished.map((upload) => ({ ...upload, isOurs: ours.has(upload.uploadId) }));
}
