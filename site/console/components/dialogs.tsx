import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { holdUnsaved } from '../unsaved.ts';
import { CopyButton } from './copy.tsx';
import { rememberOpener } from './focus.ts';
import { Field, Form } from './form.tsx';

interface DialogProps {
  title: string;
  /** Called on each close, also by Escape unless `isFirm` is set. */
  onClose: () => void;
  /** True when only the dialog's own button closes it. */
  isFirm?: boolean;
  isWide?: boolean;
  children?: ComponentChildren;
}

/** Renders a native modal dialog. The browser holds the focus inside and returns it on close. */
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
  // A closed dialog does not report to a view that already shows another dialog, because the view would close that one.
  const closed = () => isGone.current || onClose();
  // Both handlers are needed: browsers close a dialog at the second Escape even if `cancel` is prevented.
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
  /** Sentences that say which functions stop. */
  stops: readonly string[];
  /** The text that the user must type. Without it, one click confirms, for actions that can be undone. */
  name?: string;
  action: string;
  /** Throws `Problem`. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** Text about what remains and the next steps. */
  children?: ComponentChildren;
}

/** Says what will stop before the action. For an irreversible action, the user must type the name. */
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
  /** Labels and values. They are shown until the dialog closes and are never stored. */
  values: readonly (readonly [label: string, value: string])[];
  onClose: () => void;
  children?: ComponentChildren;
}

/** Shows a secret once. Only the dialog's own button closes it. Back and reload ask the user first. */
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
