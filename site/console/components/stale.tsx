import { useState } from 'preact/hooks';
import { ifUnchanged } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialogs.tsx';
import { Form } from './form.tsx';
import { notify } from './notices.tsx';

export type Values = object;

/** A field as people see it; without words its text, or its list with commas. */
export interface ShownField {
  name: string;
  label: string;
  words?: (value: never) => string;
}

/** What is known of a thing, and of which version that is. The API tells no version of what has no GET of its own. */
export interface Version<Of extends Values> {
  values: Of;
  etag?: string | undefined;
}

export interface Change<Of extends Values> {
  /** All that a person knows the thing by, also what this change leaves as it is. */
  fields: readonly ShownField[];
  /** What the person saw. */
  was: Version<Of>;
  /** The same with what the person changed. */
  yours: Of;
  /** What is there now. Throws Problem. */
  read: () => Promise<Version<Of>>;
  /** Throws Problem; `stale` is taken care of. */
  save: (values: Of, header: ReturnType<typeof ifUnchanged>) => Promise<void>;
  /** Shows what is there now. */
  reload: () => Promise<unknown>;
}

interface Changing {
  /** Saves, or shows what another changed meanwhile and asks. Returns whether it is saved. Throws Problem for any other refusal. */
  change: <Of extends Values>(change: Change<Of>) => Promise<boolean>;
  /** To be put into the view. */
  staleDialog: unknown;
}

type Asked = { change: Change<Values>; now: Version<Values> };

/** One's own change and another's: whoever began from what is there no more sees field by field what became of it. */
export function useChange(): Changing {
  const [asked, setAsked] = useState<Asked>();
  const attempt = async (change: Change<Values>, from: Version<Values>, values: Values): Promise<boolean> => {
    // Without a version it is looked at before: the API would put this change over any other.
    const now = from.etag === undefined ? await change.read() : undefined;
    if (now !== undefined && differing(change.fields, from.values, now.values).length > 0) {
      setAsked({ change, now });
      return false;
    }
    try {
      await change.save(values, ifUnchanged(from.etag));
      setAsked(undefined);
      return true;
    } catch (error) {
      if (problemOf(error).code !== 'stale') throw error;
      setAsked({ change, now: await change.read() });
      return false;
    }
  };
  const close = async () => {
    setAsked(undefined);
    await asked?.change.reload();
  };
  return {
    change: (change) => {
      const any = change as unknown as Change<Values>;
      return attempt(any, any.was, any.yours);
    },
    staleDialog: asked !== undefined && (
      <StaleDialog
        {...asked}
        onTakeTheirs={close}
        onClose={() => setAsked(undefined)}
        onKeepMine={() => attempt(asked.change, asked.now, merged(asked.change, asked.now))}
      />
    ),
  };
}

export const valueAt = (values: Values, name: string): unknown => (values as Readonly<Record<string, unknown>>)[name];
export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function differing(fields: readonly ShownField[], a: Values, b: Values): ShownField[] {
  return fields.filter(({ name }) => !isSame(valueAt(a, name), valueAt(b, name)));
}

/** Theirs, with what this person changed: what they only saw is not put back to what it was. */
export function merged<Of extends Values>(
  { fields, was, yours }: Pick<Change<Of>, 'fields' | 'was' | 'yours'>,
  now: Version<Of>,
): Of {
  const mine = new Set(differing(fields, was.values, yours).map(({ name }) => name));
  const theirs = fields.filter(({ name }) => !mine.has(name)).map(({ name }) => [name, valueAt(now.values, name)]);
  return { ...yours, ...Object.fromEntries(theirs) };
}

interface StaleDialogProps extends Asked {
  onTakeTheirs: () => Promise<void>;
  onKeepMine: () => Promise<boolean>;
  onClose: () => void;
}

function StaleDialog({ change, now, onTakeTheirs, onKeepMine, onClose }: StaleDialogProps) {
  const { fields, was, yours } = change;
  const theirs = differing(fields, was.values, now.values);
  const mine = differing(fields, was.values, yours);
  const rows = fields.filter((field) => theirs.includes(field) || mine.includes(field));
  const cell = (field: ShownField, label: string, values: Values) => (
    <td data-label={label}>{describeEvent(field, values)}</td>
  );
  return (
    <Dialog title={texts.staleTitle} onClose={onClose} isWide>
      <p>{theirs.length === 0 ? texts.staleUnseen : texts.staleLead}</p>
      <div class="table stacked" tabindex={0} role="region" aria-label={texts.staleTitle}>
        <table class="files">
          <thead>
            <tr>
              {[texts.staleField, texts.staleWas, texts.staleNow, texts.staleYours].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((field) => (
              <tr key={field.name}>
                <td>
                  <strong>{field.label}</strong>
                </td>
                {cell(field, texts.staleWas, was.values)}
                {cell(field, texts.staleNow, now.values)}
                {mine.includes(field) ? (
                  cell(field, texts.staleYours, yours)
                ) : (
                  <td data-label={texts.staleYours} class="soft">
                    {texts.staleUntouched}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Form onSubmit={onKeepMine} submitLabel={texts.keepMine} onCancel={onClose}>
        {() => (
          <p>
            <button type="button" class="plain" onClick={() => void onTakeTheirs()}>
              {texts.takeTheirs}
            </button>
          </p>
        )}
      </Form>
    </Dialog>
  );
}

function describeEvent({ name, words }: ShownField, values: Values): string {
  const value = valueAt(values, name);
  const text = words === undefined ? (Array.isArray(value) ? value.join(', ') : value) : words(value as never);
  return text === undefined || text === null || text === '' ? '–' : String(text);
}

/** Ends what somebody else may have ended meanwhile: that is told, and is no refusal. Throws Problem for any other. */
export async function endOnce(call: Promise<unknown>, done?: string): Promise<void> {
  try {
    await call;
    if (done !== undefined) notify(done);
  } catch (error) {
    if (problemOf(error).code !== 'not_found') throw error;
    notify(texts.rowGone);
  }
}

/** The words of a select's options, for what it chose. */
export function optionLabels(options: readonly (readonly [string, string])[]): (value: string) => string {
  return (value) => options.find(([each]) => each === value)?.[1] ?? value;
}

/** Whether a thing is disabled, as every kind of thing says it. */
export const disabledField: ShownField = {
  name: 'disabled',
  label: 'State',
  words: (isDisabled: boolean) => (isDisabled ? 'disabled' : 'enabled'),
};
