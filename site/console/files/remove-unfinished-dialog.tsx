import { useEffect, useState } from 'preact/hooks';
import { formatBytes, formatCount, shownName } from '../../../lib/pages/site/format.ts';
import type { UnfinishedUpload } from '../../data/multipart.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs.tsx';

interface RemoveUnfinishedProps {
  uploads: readonly UnfinishedUpload[];
  /** Returns the number of bytes that storage holds for an unfinished upload. */
  bytesOf: (upload: UnfinishedUpload, signal: AbortSignal) => Promise<number>;
  onRemove: () => void;
  onClose: () => void;
}

/** Shows how much storage unfinished uploads use and what their removal means, and asks the user to confirm. */
export function RemoveUnfinishedDialog({ uploads, bytesOf, onRemove, onClose }: RemoveUnfinishedProps) {
  const [stored, setStored] = useState<{ uploads: number; bytes: number }>({ uploads: 0, bytes: 0 });
  useEffect(() => {
    const controller = new AbortController();
    void countStored(uploads, bytesOf, controller.signal, setStored);
    return () => controller.abort();
  }, []);
  const [first] = uploads;
  return (
    <Dialog
      title={
        uploads.length === 1
          ? 'Remove an unfinished upload'
          : `Remove ${formatCount(uploads.length)} unfinished uploads`
      }
      onClose={onClose}
    >
      {uploads.length === 1 && <p class="path">{shownName(first?.key ?? '')}</p>}
      <p role="status">
        {stored.uploads < uploads.length
          ? `Counting the stored data: ${formatBytes(stored.bytes)} so far…`
          : `The storage holds ${formatBytes(stored.bytes)} of them.`}
      </p>
      <p>The sent data is deleted. An upload that still runs somewhere will fail. Complete files do not change.</p>
      <div class="actions">
        <Button kind="button danger" label="Remove" onClick={onRemove} />
        <Button label="Cancel" onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** Sums the stored bytes, one upload at a time. An upload that no longer exists or cannot be read counts as 0 bytes. */
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
