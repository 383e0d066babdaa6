import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { notify } from './notices.tsx';

/** @param label says what is copied to whoever does not see what stands beside it */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      notify(texts.copied);
    } catch {
      // Without the right to, it can be marked by hand.
    }
  };
  return (
    <button type="button" class="small" aria-label={`${texts.copy} ${label}`} onClick={copy}>
      {isCopied ? texts.copied : texts.copy}
    </button>
  );
}
