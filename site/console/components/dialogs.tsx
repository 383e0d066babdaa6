import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { holdUnsaved } from '../unsaved.ts';
import { CopyButton } from './copy.tsx';
import { rememberOpener } from './focus.ts';
import { Field, Form } from './form.tsx';

interface DialogProps {
  title: string;
  /** Escape too, unless it is firm. */
  onClose: () => void;
  /** Only its own button closes it. */
  isFirm?: boolean;
  /** For texts with long lines. */
  isWide?: boolean;
  children?: ComponentChildren;
}

/** The browser's own dialog: it holds the focus, and gives it back to where it was. */
export function Dialog({ title, onClose, isFirm, isWide, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    if (shown !== null) rememberOpener(shown);
    shown?.showModal();
    return () => {
      isGone.current = true;
    };
  }, []);
  // A view that has replaced it by another dialog is not told: it would close that one.
  const closed = () => isGone.current || onClose();
  // Both: a browser closes after the second Escape whatever was said to `cancel`.
  const stay = (event: Event) => isFirm && event.target === dialog.current && event.preventDefault();
  const stayOnEscape = (event: KeyboardEvent) => isFirm && event.key === 'Escape' && event.preventDefault();
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onClose={closed}
      onCancel={stay}
      onKeyDown={stayOnEscape}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface DestructiveDialogProps {
  title: string;
  /** Sentences that say what stops working. */
  stops: readonly string[];
  /** To be typed; without it one click does, which is for what can be undone. */
  name?: string;
  action: string;
  /** Throws Problem. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** What goes on, and what to do about it. */
  children?: ComponentChildren;
}

/** Says what will stop before it does, and asks for the name of what cannot be brought back. */
export function DestructiveDialog(props: DestructiveDialogProps) {
  const { title, stops, name, action, onConfirm, onClose, children } = props;
  const [typed, setTyped] = useState('');
  const isNamed = name === undefined || typed === name;
  const confirm = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <ul class="stops">
        {stops.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {children}
      <Form onSubmit={confirm} submitLabel={action} onCancel={onClose} isDanger isDisabled={!isNamed} losesNothing>
        {() =>
          name !== undefined && (
            <Field label={texts.confirmName(name)} name="confirm" value={typed} onChange={setTyped} isVerbatim />
          )
        }
      </Form>
    </Dialog>
  );
}

interface SecretDialogProps {
  title: string;
  /** Label and value; shown until the dialog is closed, and kept nowhere. */
  values: readonly (readonly [label: string, value: string])[];
  onClose: () => void;
  children?: ComponentChildren;
}

/** A secret that is shown once. Closing it takes a click on its own button; whoever goes back or reloads is asked first. */
export function SecretDialog({ title, values, onClose, children }: SecretDialogProps) {
  useEffect(() => {
    const holder = {};
    holdUnsaved(holder, () => [title]);
    return () => holdUnsaved(holder, undefined);
  }, [title]);
  return (
    <Dialog title={title} onClose={onClose} isFirm isWide>
      <p class="notice">{texts.secretOnce}</p>
      <dl class="secret">
        {values.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <code>{value}</code> <CopyButton text={value} label={label} />
            </dd>
          </div>
        ))}
      </dl>
      {children}
      <p class="actions">
        <button type="button" class="button" onClick={onClose}>
          {texts.secretDone}
        </button>
      </p>
    </Dialog>
  );
}
