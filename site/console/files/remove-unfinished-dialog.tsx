import { useEffect, useState } from 'preact/hooks';
import { shownName } from '../../../lib/pages/site/format.ts';
import type { UnfinishedUpload } from '../../data/multipart.ts';
import { Dialog } from '../components/dialogs.tsx';
import { texts } from './texts.ts';

interface RemoveUnfinishedProps {
  uploads: readonly UnfinishedUpload[];
  /** Returns the number of bytes that storage holds for an upload. */
  bytesOf: (upload: UnfinishedUpload, signal: AbortSignal) => Promise<number>;
  onRemove: () => void;
  onClose: () => void;
}

/** Shows the size of uploads that were never completed, and the effect of their removal. */
export function RemoveUnfinishedDialog({ uploads, bytesOf, onRemove, onClose }: RemoveUnfinishedProps) {
  const [stored, setStored] = useState<{ uploads: number; bytes: number }>({ uploads: 0, bytes: 0 });
  useEffect(() => {
    const controller = new AbortController();
    void countStored(uploads, bytesOf, controller.signal, setStored);
    return () => controller.abort();
  }, []);
  const [first] = uploads;
  return (
    <Dialog title={texts.removeUnfinished(uploads.length)} onClose={onClose}>
      {uploads.length === 1 && <p class="path">{shownName(first?.key ?? '')}</p>}
      <p role="status">
        {stored.uploads < uploads.length ? texts.storedSoFar(stored.bytes) : texts.stored(stored.bytes)}
      </p>
      <p>{texts.removeSentence}</p>
      <div class="actions">
        <button type="button" class="button danger" onClick={onRemove}>
          {texts.remove}
        </button>
        <button type="button" class="button second" onClick={onClose}>
          {texts.cancel}
        </button>
      </div>
    </Dialog>
  );
}

/** Sums the stored bytes one upload at a time. An upload that is gone or cannot be read counts as 0 bytes. */
async function countStored(
  uploads: readonly UnfinishedUpload[],
  bytesOf: RemoveUnfinishedProps['bytesOf'],
  signal: AbortSignal,
  onCounted: (stored: { uploads: number; bytes: number }) => void,
): Promise<void> {
  let bytes = 0;
  for (const [index, upload] of uploads.entries()) {
    bytes += await bytesOf(upload, signal).catch(() => 0);
    if (signal.aborted) return;
    onCounted({ uploads: index + 1, bytes });
  }
}
