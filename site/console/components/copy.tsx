import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { notify } from './notices.tsx';

/** @param label names the copied value for screen readers */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      notify('Copied');
    } catch {
      // Without clipboard permission, the button fails, but the user can select the text and copy it.
    }
  };
  return <Button kind="small" label={isCopied ? 'Copied' : 'Copy'} aria-label={`Copy ${label}`} onClick={copy} />;
}
