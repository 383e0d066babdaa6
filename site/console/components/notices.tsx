import { signal } from '@preact/signals';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';

interface Notice {
  text: string;
  kind: 'done' | 'problem';
}

const current = signal<Notice | undefined>(undefined);

/** Says what was done; the next notice, the next form that is sent or the next view takes its place. */
export function notify(text: string): void {
  current.value = { text, kind: 'done' };
}

/** Says why something was refused, where no form can. */
export function notifyRefusal(error: unknown): void {
  current.value = { text: problemOf(error).message, kind: 'problem' };
}

export function clearNotices(): void {
  current.value = undefined;
}

/** Read out by screen readers when it changes: the region is always there. */
export function Notices() {
  const notice = current.value;
  return (
    <div class="notices" aria-live="polite">
      {notice !== undefined && (
        <div class={`notice ${notice.kind}`}>
          <p>{notice.text}</p>
          <button type="button" class="plain" onClick={clearNotices}>
            {texts.close}
          </button>
        </div>
      )}
    </div>
  );
}
