import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { clearNotices } from './notices.tsx';
import { useBusy } from './once.ts';
import { useUnsavedFields } from './unsaved-fields.ts';

export interface FieldProps<Value extends string = string> {
  label: string;
  /** The path in the request body. Refusals for this path appear at this field. */
  name: string;
  value: Value;
  onChange: (value: NoInfer<Value>) => void;
  problem?: Problem | undefined;
  hint?: ComponentChildren;
  kind?: 'text' | 'url' | 'email' | 'date' | 'password' | 'long' | 'select' | undefined;
  /** The value and label of each option of a select. */
  options?: readonly (readonly [value: NoInfer<Value>, label: string])[];
  isRequired?: boolean | undefined;
  maxLength?: number | undefined;
  /** Suggestions while the user types: values and their labels. */
  suggestions?: readonly (readonly [value: string, label: string])[];
  /** The value that is sent for the typed text. The field shows it when the two differ. */
  taken?: string | undefined;
  /** True for names and identifiers, which browsers must not complete or correct. */
  isVerbatim?: boolean;
}

/** Renders a labeled control with its hint and its message from the API. */
export function Field<Value extends string>(props: FieldProps<Value>) {
  const {
    label,
    name,
    value,
    onChange,
    problem,
    hint,
    kind = 'text',
    options = [],
    isRequired,
    maxLength,
    suggestions,
    taken,
  } = props;
  const id = useId();
  const fault = problem?.fields[name];
  const described = [hint === undefined ? '' : `${id}-hint`, fault === undefined ? '' : `${id}-fault`].join(' ').trim();
  const shared = {
    id,
    name,
    required: isRequired,
    'aria-invalid': fault === undefined ? undefined : ('true' as const),
    'aria-describedby': described || undefined,
  };
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value as Value);
  const verbatim = props.isVerbatim
    ? ({ autocomplete: 'off', autocapitalize: 'none', spellcheck: false, autocorrect: 'off' } as const)
    : {};
  // Preact's types allow `list` only for one known `type`.
  const typed = { type: kind, list: suggestions && `${id}-list` } as { type: 'text'; list: string | undefined };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === 'select' ? (
        <select {...shared} value={value} onChange={onInput}>
          {options.map(([each, words]) => (
            <option key={each} value={each} selected={each === value}>
              {words}
            </option>
          ))}
        </select>
      ) : kind === 'long' ? (
        <textarea {...shared} rows={5} maxlength={maxLength} value={value} onInput={onInput} />
      ) : (
        <>
          <input {...shared} {...verbatim} {...typed} maxlength={maxLength} value={value} onInput={onInput} />
          {suggestions && (
            <datalist id={`${id}-list`}>
              {suggestions.map(([each, words]) => (
                <option key={each} value={each} label={words}>
                  {words}
                </option>
              ))}
            </datalist>
          )}
        </>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {taken !== undefined && (
        <div role="status">
          {taken !== value && (
            <p class="hint">
              {texts.takenAs} <code>{taken || texts.nothing}</code>
            </p>
          )}
        </div>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

interface FormProps {
  /**
   * Throws `Problem` for a refusal. Returns `false` when nothing is saved yet, for example while a dialog asks the
   * user.
   */
  onSubmit: () => Promise<unknown>;
  submitLabel: string;
  /** Renders the fields. Gets the current refusal. */
  children: (problem: Problem | undefined) => ComponentChildren;
  onCancel?: (() => void) | undefined;
  /** Returns true when the caller handles the refusal itself. */
  onProblem?: (problem: Problem) => boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** True for filters, searches, and confirmations. The user may leave such a form without a question. */
  losesNothing?: boolean;
  /** A new number marks the fields as saved or discarded by other means than the submit button. */
  saved?: number;
}

/**
 * Renders a form that submits one request at a time. The button keeps the focus during the request.
 * A refusal appears above the form and at its fields, and the first such field gets the focus. A change of a field
 * removes its message.
 * The form asks before the user leaves with unsaved input. A successful submit collapses the `details` element around
 * the form.
 */
export function Form(props: FormProps) {
  const {
    onSubmit,
    submitLabel,
    children,
    onCancel,
    onProblem,
    isDanger,
    isDisabled,
    losesNothing = false,
    saved,
  } = props;
  /** The refusal as received. It sets the focus once. */
  const [refusal, setRefusal] = useState<Problem>();
  /** The part of the refusal that still applies. */
  const [problem, setProblem] = useState<Problem>();
  const form = useRef<HTMLFormElement>(null);
  const { look, settle } = useUnsavedFields(form, losesNothing);
  useEffect(settle, [saved]);
  useEffect(() => {
    if (refusal === undefined) return;
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    (first ?? form.current?.querySelector<HTMLElement>('[role=alert]'))?.focus();
  }, [refusal]);
  const { run, busy } = useBusy();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(send);
  };
  const send = async () => {
    setRefusal(undefined);
    setProblem(undefined);
    clearNotices();
    try {
      if ((await onSubmit()) === false) return;
      settle();
      if (!losesNothing) fold(form.current);
    } catch (error) {
      const refused = problemOf(error);
      if (!onProblem?.(refused)) {
        setRefusal(refused);
        setProblem(refused);
      }
    }
  };
  const changed = ({ target }: { target: EventTarget | null }) => {
    const { name } = target as HTMLInputElement;
    setProblem((said) => (said?.fields[name] === undefined ? said : withoutField(said, name)));
  };
  return (
    <form class="form" ref={form} onSubmit={submit} onInputCapture={look} onInput={changed} novalidate>
      {problem !== undefined && (
        <div class="notice problem" role="alert" tabindex={-1}>
          <p>{sentenceAbove(problem, form.current)}</p>
        </div>
      )}
      {children(problem)}
      <div class="actions">
        <button type="submit" class={isDanger ? 'button danger' : 'button'} disabled={isDisabled} {...busy}>
          {submitLabel}
        </button>
        {onCancel !== undefined && (
          <button type="button" class="button second" onClick={onCancel}>
            {texts.cancel}
          </button>
        )}
      </div>
    </form>
  );
}

/** Collapses the create form, so that the new item is visible and the next one begins with empty fields. */
function fold(form: HTMLFormElement | null): void {
  const details = form?.closest<HTMLDetailsElement>('details.create');
  if (details) details.open = false;
}

/** Removes one field from a refusal. Returns undefined when no field is left. */
function withoutField({ status, code, message, fields, madeId }: Problem, name: string): Problem | undefined {
  const { [name]: _, ...rest } = fields;
  return Object.keys(rest).length === 0 ? undefined : new Problem(status, code, message, { fields: rest, madeId });
}

/** Returns the message above the form: the parts of the refusal that belong to no shown field. */
function sentenceAbove(problem: Problem, form: HTMLFormElement | null): string {
  const paths = Object.keys(problem.fields);
  const shown = paths.filter((path) => form?.elements.namedItem(path));
  if (paths.length === 0) return problem.message;
  if (shown.length === paths.length) return texts.checkFields;
  return paths
    .filter((path) => !shown.includes(path))
    .map((path) => (path === '' ? problem.fields[path] : `${path}: ${problem.fields[path]}`))
    .join(' ');
}
