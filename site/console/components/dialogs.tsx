import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { holdUnsaved } from '../unsaved.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { rememberOpener } from './focus.ts';
import { Check, Form } from './form.tsx';

interface DialogProps {
  title: string;
  /** Called whenever the dialog closes. The Escape key also closes it, unless `isFirm` is set. */
  onClose: () => void;
  /** True when only the dialog's own button closes the dialog, so that Escape does not close it. */
  isFirm?: boolean;
  isWide?: boolean;
  children?: ComponentChildren;
}

/**
 * Renders a native modal dialog. The browser keeps the focus inside, and returns it to the opener when the dialog
 * closes.
 */
export function Dialog({ title, onClose, isFirm, isWide, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    if (shown !== null) rememberOpener(shown);
    shown?.showModal();
    focusContent(shown);
    return () => {
      isGone.current = true;
    };
  }, []);
  // Do not call `onClose` for a dialog that the view has already removed. The view may already show another dialog,
  // which the call would close.
  const closed = () => isGone.current || onClose();
  // Handle both events, because browsers close a dialog at the second Escape even if `cancel` is prevented.
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
      {!isFirm && (
        <div class="close">
          <button type="button" aria-label="Close dialog" onClick={() => dialog.current?.close()}>
            ×
          </button>
        </div>
      )}
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/**
 * Focuses the first control of the dialog's content. By default, browsers would focus the button that closes the
 * dialog.
 */
function focusContent(dialog: HTMLElement | null): void {
  const controls = dialog?.querySelectorAll<HTMLElement>(
    ':is(a[href],button,input,select,textarea,summary,[tabindex="0"]):not(:disabled,.close>*)',
  );
  [...(controls ?? [])].find((control) => control.checkVisibility())?.focus();
}

/** A checkbox for an additional effect of an action. */
export interface Choice {
  name: string;
  label: string;
  hint: string;
}

/** A question that the user must answer before an action runs. */
export interface Confirmation {
  title: string;
  /** Sentences that tell the user what stops working after the action. */
  stops: readonly string[];
  /** The name that the user must type to confirm an irreversible action. If undefined, one click confirms. */
  name?: string;
  action: string;
  /** Checkboxes for additional effects of the action. */
  choices?: readonly Choice[] | undefined;
  /** An optional text for the users whom the action affects. */
  reason?: { label: string; hint: string } | undefined;
  /** Runs the action. Throws `Problem`. `chosen` has the names of the choices that the user selected. */
  onConfirm: (chosen: ReadonlySet<string>, reason: string) => Promise<unknown>;
  /** A text about the data that remains after the action, and about the next steps. */
  children?: ComponentChildren;
}

/**
 * Tells the user what will stop working, and asks for confirmation. Before an irreversible action, the user must type
 * the name.
 */
function ConfirmDialog({
  title,
  stops,
  name,
  action,
  choices = [],
  reason,
  onConfirm,
  onClose,
  children,
}: Confirmation & { onClose: () => void }) {
  const [values, setValues] = useState({ confirm: '', reason: '' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const confirm = async () => {
    await onConfirm(chosen, values.reason.trim());
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
      <Form
        onSubmit={confirm}
        submitLabel={action}
        onCancel={onClose}
        isDanger
        isDisabled={name !== undefined && values.confirm !== name}
        losesNothing
        values={values}
        onChange={setValues}
        fields={[
          ...choices.map((choice) => (
            <Check
              key={choice.name}
              {...choice}
              isChecked={chosen.has(choice.name)}
              onChange={(isChosen) =>
                setChosen(new Set([...chosen, choice.name].filter((one) => isChosen || one !== choice.name)))
              }
            />
          )),
          reason && { name: 'reason', ...reason, kind: 'long' },
          name !== undefined && { name: 'confirm', label: `Type ${name} to confirm`, isVerbatim: true },
        ]}
      />
    </Dialog>
  );
}

/** Returns a function that asks before an action, and the dialog element, which the view must render. */
export function useConfirm() {
  const [asked, confirm] = useState<Confirmation>();
  const confirmDialog = asked && <ConfirmDialog {...asked} onClose={() => confirm(undefined)} />;
  return { confirm, confirmDialog };
}

interface SecretDialogProps {
  title: string;
  /** The secret values with their labels. The dialog shows them until it closes, and the page never stores them. */
  values: readonly (readonly [label: string, value: string])[];
  onClose: () => void;
  children?: ComponentChildren;
}

/**
 * Shows a secret that the API returns only once. Only the dialog's own button closes it, so that the user cannot lose
 * the secret by Escape. Back and a reload first ask the user.
 */
export function SecretDialog({ title, values, onClose, children }: SecretDialogProps) {
  useEffect(() => {
    const holder = {};
    holdUnsaved(holder, () => [title]);
    return () => holdUnsaved(holder, undefined);
  }, [title]);
  return (
    <Dialog title={title} onClose={onClose} isFirm isWide>
      <p class="notice">Copy this secret now. It is shown only once.</p>
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
        <Button kind="button" label="I have stored it" onClick={onClose} />
      </p>
    </Dialog>
  );
}
