import { shownName } from '../../../lib/pages/site/format.ts';
import { Minute } from '../components/time.tsx';
import { texts } from './texts.ts';
import type { KnownUnfinished } from './use-unfinished.ts';

interface UnfinishedProps {
  /** Incomplete multipart uploads in storage. */
  uploads: readonly KnownUnfinished[];
  /** The number of dropped files and folders that the browser can open again. */
  kept: number;
  onGoOn: () => void;
  onForget: () => void;
  onRemove: (uploads: readonly KnownUnfinished[]) => void;
}

/** The maximum number of rows. After a removal, the next uploads appear. */
const shownMax = 20;

/** Lists unfinished uploads: those that can continue and those that only use storage. */
export function Unfinished({ uploads, kept, onGoOn, onForget, onRemove }: UnfinishedProps) {
  if (uploads.length === 0 && kept === 0) return null;
  const old = uploads.filter(({ isOld }) => isOld);
  return (
    <section class="card" aria-labelledby="unfinished-title">
      <h2 id="unfinished-title">{texts.unfinished}</h2>
      {kept > 0 && (
        <>
          <p>{texts.goOnHint(kept)}</p>
          <div class="actions">
            <button type="button" class="button" onClick={onGoOn}>
              {texts.goOn}
            </button>
            <button type="button" class="button second" onClick={onForget}>
              {texts.forget}
            </button>
          </div>
        </>
      )}
      {uploads.length > 0 && (
        <>
          <p class="soft">{texts.unfinishedHint}</p>
          <ul class="troubled">
            {uploads.slice(0, shownMax).map((upload) => (
              <li key={upload.uploadId}>
                <span class="path">{shownName(upload.key)}</span>
                <span class="soft">
                  <Minute time={upload.startedAt} /> · {texts.unfinishedBy[upload.by]}
                </span>
                <span class="choices">
                  <button
                    type="button"
                    class="button second"
                    aria-label={`${texts.remove} ${upload.key}`}
                    onClick={() => onRemove([upload])}
                  >
                    {texts.remove}
                  </button>
                </span>
              </li>
            ))}
            {uploads.length > shownMax && <li class="soft">{texts.moreTrouble(uploads.length - shownMax)}</li>}
          </ul>
          {old.length > 1 && (
            <div class="actions">
              <button type="button" class="button second" onClick={() => onRemove(old)}>
                {texts.removeOld(old.length)}
              </button>
            </div>
          )}
        </>
      )}
    </section>
  );
}
