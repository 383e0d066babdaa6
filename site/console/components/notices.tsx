import { signal } from '@preact/signals';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface Notice {
  text: string;
  kind: 'done' | 'problem';
}

const current = signal<Notice | undefined>(undefined);

/**
 * Shows a success message. It disappears when another notice appears, when the user submits a form, or when the view
 * changes.
 */
export function notify(text: string): void {
  current.value = { text, kind: 'done' };
}

/** Shows the error of an action that was not sent by a form. */
export function notifyRefusal(error: unknown): void {
  current.value = { text: problemOf(error).message, kind: 'problem' };
}

export function clearNotices(): void {
  current.value = undefined;
}

/**
 * Renders the notice. The live region is always in the page, because screen readers only announce changes inside an
 * existing one.
 */
export function Notices() {
  const notice = current.value;
  return (
    <div class="notices" aria-live="polite">
      {notice !== undefined && (
        <div class={`notice ${notice.kind}`}>
          <p>{notice.text}</p>
          <Button kind="plain" label={texts.close} onClick={clearNotices} />
        </div>
      )}
    </div>
  );
}
