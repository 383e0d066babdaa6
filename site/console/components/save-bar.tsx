import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import type { busyWhile } from './once.ts';

/** The unsaved changes of a form. */
export interface Changes {
  /** The labels of the changed fields. */
  labels: readonly string[];
  discard: () => void;
}

interface SaveBarProps extends Changes {
  submitLabel: string;
  busy: ReturnType<typeof busyWhile>;
  form: RefObject<HTMLFormElement | null>;
}

/** Shows which fields of a form have changed, with the buttons that save and discard the changes. */
export function SaveBar({ labels, discard, submitLabel, busy, form }: SaveBarProps) {
  const isShown = labels.length > 0;
  useLastField(form, isShown);
  // The live region is always in the page, because screen readers only announce changes inside an existing one.
  return (
    <div class="save-bar">
      <p role="status">
        {isShown && (
          <>
            Not saved yet: <strong>{labels.join(', ')}</strong>
          </>
        )}
      </p>
      {isShown && (
        <div class="actions">
          <button type="submit" class="button" {...busy}>
            {submitLabel}
          </button>
          <Button label={texts.discard} onClick={discard} />
        </div>
      )}
    </div>
  );
}

/** When the buttons disappear, return the focus to the field that had it last. */
function useLastField(form: RefObject<HTMLFormElement | null>, isShown: boolean): void {
  const last = useRef<HTMLElement>(undefined);
  useEffect(() => {
    const remember = ({ target }: Event) => {
      if (target instanceof HTMLElement && target.matches('input,select,textarea')) last.current = target;
    };
    form.current?.addEventListener('focusin', remember);
    return () => form.current?.removeEventListener('focusin', remember);
  }, []);
  useEffect(() => {
    if (!isShown && document.activeElement === document.body) last.current?.focus({ preventScroll: true });
  }, [isShown]);
}
