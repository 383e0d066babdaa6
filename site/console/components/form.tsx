import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { clearNotices } from './notices.tsx';
import { useBusy } from './once.ts';
import { useUnsavedFields } from './unsaved-fields.ts';

export interface FieldProps<Value extends string = string> {
  label: string;
  /** The path in the body of the request: a refusal that names it stands here. */
  name: string;
  value: Value;
  onChange: (value: NoInfer<Value>) => void;
  problem?: Problem | undefined;
  hint?: ComponentChildren;
  kind?: 'text' | 'url' | 'email' | 'date' | 'password' | 'long' | 'select' | undefined;
  /** Of a select: value and label. */
  options?: readonly (readonly [value: NoInfer<Value>, label: string])[];
  isRequired?: boolean | undefined;
  maxLength?: number | undefined;
  /** Offered while one types: the value, and what it is called. */
  suggestions?: readonly (readonly [value: string, label: string])[];
  /** What is sent for what was typed: shown where they differ. */
  taken?: string | undefined;
  /** For names that no browser should guess. */
  isVerbatim?: boolean;
}

/** A labelled control with its hint, and what the API said of it. */
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
  /** Throws Problem where the API refuses. `false` where nothing is done yet, as when a dialog asks first. */
  onSubmit: () => Promise<unknown>;
  submitLabel: string;
  /** Gets what was refused, to hand it to the fields. */
  children: (problem: Problem | undefined) => ComponentChildren;
  onCancel?: (() => void) | undefined;
  /** Returns whether it takes care of the refusal itself. */
  onProblem?: (problem: Problem) => boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** A filter, a look-up, a confirmation: nobody is asked before it is left. */
  losesNothing?: boolean;
  /** Another number where what it holds was saved or given up by other means than its button. */
  saved?: number;
}

/** Sends once at a time, and the button keeps the focus meanwhile; a refusal stands above the form, and at its fields, the first of which gets the focus. What was said of a field goes as one changes it. Whoever leaves it with what they typed is asked first; once it is sent, what it was unfolded in is folded again. */
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
  /** As it came: the focus goes to the first field once. */
  const [refusal, setRefusal] = useState<Problem>();
  /** What of it still stands. */
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

/** What was made is seen below it, and the next is not begun with what is left of this one. */
function fold(form: HTMLFormElement | null): void {
  const details = form?.closest<HTMLDetailsElement>('details.create');
  if (details) details.open = false;
}

/** A refusal but for what it says of one field; none where it says no more. */
function withoutField({ status, code, message, fields, madeId }: Problem, name: string): Problem | undefined {
  const { [name]: _, ...rest } = fields;
  return Object.keys(rest).length === 0 ? undefined : new Problem(status, code, message, { fields: rest, madeId });
}

/** What no field of the form can say stands above it. */
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
