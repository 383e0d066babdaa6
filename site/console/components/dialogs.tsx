import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { holdUnsaved } from '../unsaved.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { rememberOpener } from './focus.ts';
import { Check, Form } from './form.tsx';

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

/** A question before an action. */
export interface Confirmation {
  title: string;
  /** Sentences that say which functions stop. */
  stops: readonly string[];
  /** The text that the user must type. Without it, one click confirms, for actions that can be undone. */
  name?: string;
  action: string;
  /** A further effect that the user can choose. */
  choice?: { label: string; hint: string } | undefined;
  /** Throws `Problem`. `isChosen` is true if the user selected `choice`. */
  onConfirm: (isChosen: boolean) => Promise<unknown>;
  /** Text about what remains and the next steps. */
  children?: ComponentChildren;
}

/** Says what will stop before the action. For an irreversible action, the user must type the name. */
function ConfirmDialog({
  title,
  stops,
  name,
  action,
  choice,
  onConfirm,
  onClose,
  children,
}: Confirmation & { onClose: () => void }) {
  const [values, setValues] = useState({ confirm: '' });
  const [isChosen, setChosen] = useState(false);
  const confirm = async () => {
    await onConfirm(isChosen);
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
          choice && <Check name="choice" {...choice} isChecked={isChosen} onChange={setChosen} />,
          name !== undefined && { name: 'confirm', label: `Type ${name} to confirm`, isVerbatim: true },
        ]}
      />
    </Dialog>
  );
}

/** Returns a function that asks before an action, and the dialog. The view must render the dialog. */
export function useConfirm() {
  const [asked, confirm] = useState<Confirmation>();
  const confirmDialog = asked && <ConfirmDialog {...asked} onClose={() => confirm(undefined)} />;
  return { confirm, confirmDialog };
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
