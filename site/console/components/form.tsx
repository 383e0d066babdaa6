import { type ComponentChildren, createContext, isValidElement, type VNode } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { clearNotices } from './notices.tsx';
import { useBusy } from './once.ts';
import { type Changes, SaveBar } from './save-bar.tsx';
import { useUnsavedFields } from './unsaved-fields.ts';

type Options<Value> = readonly (readonly [value: Value, label: string])[];

interface FieldLook {
  label: string;
  hint?: ComponentChildren;
  kind?: 'text' | 'url' | 'email' | 'date' | 'password' | 'long' | 'select' | undefined;
  isRequired?: boolean;
  maxLength?: number;
  /** Suggested values and their labels, which the browser offers while the user types. */
  suggestions?: Options<string>;
  /**
   * The normalized form of the typed text, which is sent to the API. The field shows it when it differs from the typed
   * text.
   */
  taken?: string | undefined;
  /** True for names and identifiers, which browsers must not complete or correct. */
  isVerbatim?: boolean;
}

interface FieldProps extends FieldLook {
  /** The path of the field in the request body. An API error for this path appears at this field. */
  name: string;
  value: string;
  onChange: (value: string) => void;
  /** The options, if the control is a select. */
  options?: Options<string> | undefined;
}

/** The API error that the form shows. */
const FormProblem = createContext<Problem | undefined>(undefined);

/** Returns the API error that the form shows. */
export function useProblem(): Problem | undefined {
  return useContext(FormProblem);
}

/** Returns the message for one field from the API error that the form shows. */
export function useFault(name: string): string | undefined {
  return useProblem()?.fields[name];
}

/** Renders a labeled control with its hint, and the API's error message for the field. */
export function Field(props: FieldProps) {
  const { label, name, value, hint, taken } = props;
  const id = useId();
  const fault = useFault(name);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control {...props} id={id} fault={fault} />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {taken !== undefined && (
        <div role="status">
          {taken !== value && (
            <p class="hint">
              It is saved as <code>{taken || 'nothing'}</code>
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

function Control(props: FieldProps & { id: string; fault: string | undefined }) {
  const { id, fault, name, value, onChange, hint, kind = props.options ? 'select' : 'text', options = [] } = props;
  const { maxLength, suggestions } = props;
  const described = [hint === undefined ? '' : `${id}-hint`, fault === undefined ? '' : `${id}-fault`].join(' ').trim();
  const shared = {
    id,
    name,
    required: props.isRequired,
    'aria-invalid': fault === undefined ? undefined : ('true' as const),
    'aria-describedby': described || undefined,
  };
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value);
  if (kind === 'select')
    return (
      <select {...shared} value={value} onChange={onInput}>
        {options.map(([each, words]) => (
          <option key={each} value={each} selected={each === value}>
            {words}
          </option>
        ))}
      </select>
    );
  if (kind === 'long') return <textarea {...shared} rows={5} maxlength={maxLength} value={value} onInput={onInput} />;
  const verbatim = props.isVerbatim
    ? // Written in lower case, `autocorrect` is a boolean property of the element. Any text, even `off`, turns it on.
      ({ autocomplete: 'off', autocapitalize: 'none', spellcheck: false, autoCorrect: 'off' } as const)
    : {};
  // Preact's types accept `list` only if `type` is a single literal, so this cast names one.
  const typed = { type: kind, list: suggestions && `${id}-list` } as { type: 'text'; list: string | undefined };
  return (
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
  );
}

interface CheckProps {
  name: string;
  label: string;
  hint: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}

/** Renders a checkbox with its hint. */
export function Check({ name, label, hint, isChecked, onChange }: CheckProps) {
  const id = useId();
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        aria-describedby={id}
        checked={isChecked}
        onChange={() => onChange(!isChecked)}
      />
      <span>
        {label}
        <br />
        <span class="soft" id={id}>
          {hint}
        </span>
      </span>
    </label>
  );
}

type TextName<Values> = { [Name in keyof Values]: Values[Name] extends string ? Name : never }[keyof Values] & string;

/**
 * The declaration of one form field. `name` is the key in the form's values, and `path` is the path in the request
 * body.
 */
export type FieldSpec<Values> = {
  [Name in TextName<Values>]: FieldLook & { name: Name; path?: string; options?: Options<Values[Name]> };
}[TextName<Values>];

/** A declared field, or another element that is shown between the fields. */
export type FormField<Values> = FieldSpec<Values> | VNode | false | undefined;

interface FormProps<Values extends object> {
  /**
   * Sends the form. Throws `Problem` when the API refuses. Returns `false` when nothing is saved yet, for example while
   * a dialog is open.
   */
  onSubmit: () => Promise<unknown>;
  submitLabel: string;
  values?: Values;
  onChange?: (values: Values) => void;
  /** The declared fields, and other elements that are shown between them. */
  fields?: readonly FormField<NoInfer<Values>>[];
  /** Content below the fields. */
  children?: ComponentChildren;
  /** The label of the element that opens a collapsible form. Without it, the form is always open. */
  summary?: string | undefined;
  onCancel?: (() => void) | undefined;
  /** Returns true when the caller handles the API error itself. The form then does not show it. */
  onProblem?: (problem: Problem) => boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  /**
   * True for filters, searches, and confirmations. The user can leave such a form without a question about unsaved
   * input.
   */
  losesNothing?: boolean;
  /** The unsaved changes, for a form that shows its save button in a bar at the end of the screen. */
  bar?: Changes;
  /**
   * A counter. When the number changes, the form treats its fields as saved. Use it when something other than the
   * submit button saved or discarded them.
   */
  saved?: number;
}

/**
 * Renders a form that submits one request at a time. The button keeps the focus during the request.
 * An API error appears above the form and at the fields that it names. The first of these fields gets the focus. When
 * the user changes a field, its message disappears.
 * The form asks before the user leaves with unsaved input. After a successful submit, the `details` element around the
 * form collapses.
 */
export function Form<Values extends object>(props: FormProps<Values>) {
  const { onSubmit, submitLabel, children, summary, onCancel, onProblem, losesNothing = false, saved, bar } = props;
  const form = useRef<HTMLFormElement>(null);
  const { problem, refuse, changed } = useRefusal(form);
  const { look, settle } = useUnsavedFields(form, losesNothing);
  useEffect(settle, [saved]);
  const { run, busy } = useBusy();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(send);
  };
  const send = async () => {
    refuse(undefined);
    clearNotices();
    try {
      if ((await onSubmit()) === false) return;
      settle();
      if (!losesNothing) fold(form.current);
    } catch (error) {
      const refused = problemOf(error);
      if (!onProblem?.(refused)) refuse(refused);
    }
  };
  const shown = (
    <form class="form" ref={form} onSubmit={submit} onInputCapture={look} onInput={changed} novalidate>
      {problem !== undefined && (
        <div class="notice problem" role="alert" tabindex={-1}>
          <p>{sentenceAbove(problem, form.current)}</p>
        </div>
      )}
      <FormProblem.Provider value={problem}>
        <Fields {...props} />
        {children}
      </FormProblem.Provider>
      {bar === undefined ? (
        <div class="actions">
          <button
            type="submit"
            class={props.isDanger ? 'button danger' : 'button'}
            disabled={props.isDisabled}
            {...busy}
          >
            {submitLabel}
          </button>
          {onCancel !== undefined && <Button label={texts.cancel} onClick={onCancel} />}
        </div>
      ) : (
        <SaveBar {...bar} submitLabel={submitLabel} busy={busy} form={form} />
      )}
    </form>
  );
  if (summary === undefined) return shown;
  return (
    <details class="create">
      <summary>{summary}</summary>
      {shown}
    </details>
  );
}

/** Holds the API error of the form, and focuses the first field that it names. */
function useRefusal(form: { current: HTMLFormElement | null }) {
  /** The error as the API returned it. Each new error moves the focus once. */
  const [refusal, setRefusal] = useState<Problem>();
  /** The messages of the error whose fields the user has not changed since. */
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    if (refusal === undefined) return;
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    (first ?? form.current?.querySelector<HTMLElement>('[role=alert]'))?.focus();
  }, [refusal]);
  const refuse = (refused: Problem | undefined) => {
    setRefusal(refused);
    setProblem(refused);
  };
  const changed = ({ target }: { target: EventTarget | null }) => {
    const { name } = target as HTMLInputElement;
    setProblem((said) => (said?.fields[name] === undefined ? said : withoutField(said, name)));
  };
  return { problem, refuse, changed };
}

function Fields<Values extends object>({ fields = [], values, onChange }: FormProps<Values>) {
  return fields.map((entry) => {
    if (!entry || isValidElement(entry)) return entry || null;
    const { name, path = name, ...look } = entry as FieldSpec<Record<string, string>>;
    const set = (value: string) => onChange?.({ ...values, [name]: value } as Values);
    return <Field key={name} {...look} name={path} value={String(values?.[name as keyof Values])} onChange={set} />;
  });
}

/**
 * Collapses the create form after a success. The new item is then visible, and the form is empty when it opens again.
 */
function fold(form: HTMLFormElement | null): void {
  const details = form?.closest<HTMLDetailsElement>('details.create');
  if (details) details.open = false;
}

/** Removes the message of one field from an API error. Returns undefined when no message is left. */
function withoutField({ status, code, message, fields, madeId }: Problem, name: string): Problem | undefined {
  const { [name]: _, ...rest } = fields;
  return Object.keys(rest).length === 0 ? undefined : new Problem(status, code, message, { fields: rest, madeId });
}

/** Returns the message above the form: the messages of the API error that belong to no visible field. */
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
