import { signal } from '@preact/signals';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface Notice {
  text: string;
  kind: 'done' | 'problem';
}

const current = signal<Notice | undefined>(undefined);

/** Shows a success message. The next notice, submitted form, or view removes it. */
export function notify(text: string): void {
  current.value = { text, kind: 'done' };
}

/** Shows a refusal outside a form. */
export function notifyRefusal(error: unknown): void {
  current.value = { text: problemOf(error).message, kind: 'problem' };
}

export function clearNotices(): void {
  current.value = undefined;
}

/** Renders the notice. The live region always exists, because screen readers announce changes of an existing one. */
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
