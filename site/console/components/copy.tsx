import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { notify } from './notices.tsx';

/** @param label names the copied value for screen readers */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      notify(texts.copied);
    } catch {
      // Without clipboard permission, the user can select the text and copy it.
    }
  };
  return (
    <button type="button" class="small" aria-label={`${texts.copy} ${label}`} onClick={copy}>
      {isCopied ? texts.copied : texts.copy}
    </button>
  );
}
