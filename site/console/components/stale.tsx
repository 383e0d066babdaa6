import { useState } from 'preact/hooks';
import { ifUnchanged } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialogs.tsx';
import { Form } from './form.tsx';
import { Table, type useList } from './list.tsx';
import { notify, notifyRefusal } from './notices.tsx';

export type Values = object;

/** A field as the user sees it. Without `words`, the value is shown as text, and a list with commas. */
export interface ShownField {
  name: string;
  label: string;
  words?: (value: never) => string;
}

/** The values of a resource and their ETag. The API returns no ETag for resources without their own GET. */
export interface Version<Of extends Values> {
  values: Of;
  etag?: string | undefined;
}

/** A resource of the API as the view shows it. */
export interface Stored<Of extends Values> {
  /** All fields of the resource, also those that a change does not affect. */
  fields: readonly ShownField[];
  /** The version that the user saw. */
  was: Version<Of>;
  /** Reads the current version. Throws `Problem`. */
  read: () => Promise<Version<Of>>;
  reload: () => Promise<unknown>;
}

export interface Change<Of extends Values> extends Stored<Of> {
  /** The values of `was` with the user's changes. */
  yours: Of;
  /** Saves the values. Throws `Problem`; the caller handles `stale`. */
  save: (values: Of, header: ReturnType<typeof ifUnchanged>) => Promise<unknown>;
}

type Asked = { change: Change<Values>; now: Version<Values> };

/** Handles conflicting changes of two users. The user sees each field that differs from the version they edited. */
export function useChange() {
  const [asked, setAsked] = useState<Asked>();
  const attempt = async (change: Change<Values>, from: Version<Values>, values: Values): Promise<boolean> => {
    // Without an ETag, the current version is read first. The API would otherwise overwrite other changes.
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
    /** Saves, or asks about a conflicting change. Returns true when saved. Throws `Problem` for other refusals. */
    change: <Of extends Values>(change: Change<Of>) => {
      const any = change as unknown as Change<Values>;
      return attempt(any, any.was, any.yours);
    },
    /** The dialog. The view must render it. */
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

/** Changes a row of a list at once, without a form. A refusal is shown as a notice, and the list is loaded again. */
export function useRowChange<Row extends object>(
  list: Pick<ReturnType<typeof useList<Row>>, 'reread' | 'reload'>,
  fields: readonly ShownField[],
  id: keyof Row,
) {
  const { change, staleDialog } = useChange();
  const changeRow = async (row: Row, fresh: Partial<Row>, save: (row: Row) => Promise<unknown>) => {
    const read = async () => ({ values: await list.reread(row, (other) => other[id] === row[id]) });
    try {
      await change({ fields, was: { values: row }, yours: { ...row, ...fresh }, read, save, reload: list.reload });
    } catch (error) {
      notifyRefusal(error);
      await list.reload();
    }
  };
  return { changeRow, staleDialog };
}

export const valueAt = (values: Values, name: string): unknown => (values as Readonly<Record<string, unknown>>)[name];
export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function differing(fields: readonly ShownField[], a: Values, b: Values): ShownField[] {
  return fields.filter(({ name }) => !isSame(valueAt(a, name), valueAt(b, name)));
}

/** Returns the current values with this user's changes. Fields that the user did not change keep the current value. */
function merged<Of extends Values>(
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

const staleTitle = 'Another user changed this in the meantime';

function StaleDialog({ change, now, onTakeTheirs, onKeepMine, onClose }: StaleDialogProps) {
  const { fields, was, yours } = change;
  const theirs = differing(fields, was.values, now.values);
  const mine = differing(fields, was.values, yours);
  return (
    <Dialog title={staleTitle} onClose={onClose} isWide>
      <p>
        {theirs.length === 0
          ? 'The change is not in a field of this form, or it was undone.'
          : 'Discard your changes, or save them over the other changes. Fields that you did not change keep the current value.'}
      </p>
      <Table
        label={staleTitle}
        items={fields.filter((field) => theirs.includes(field) || mine.includes(field))}
        columns={[
          { title: 'Field', cell: ({ label }) => <strong>{label}</strong> },
          { title: 'Before', isLabeled: true, cell: (field) => describeValue(field, was.values) },
          { title: 'Now', isLabeled: true, cell: (field) => describeValue(field, now.values) },
          {
            title: 'Yours',
            isLabeled: true,
            cell: (field) =>
              mine.includes(field) ? describeValue(field, yours) : <span class="soft">not changed by you</span>,
          },
        ]}
      />
      <Form onSubmit={onKeepMine} submitLabel="Save my changes" onCancel={onClose}>
        <p>
          <Button kind="plain" label="Discard my changes" onClick={() => void onTakeTheirs()} />
        </p>
      </Form>
    </Dialog>
  );
}

function describeValue({ name, words }: ShownField, values: Values): string {
  const value = valueAt(values, name);
  const text = words === undefined ? (Array.isArray(value) ? value.join(', ') : value) : words(value as never);
  return text === undefined || text === null || text === '' ? '–' : String(text);
}

/** Deletes a resource. If another user has deleted it already, shows a notice. Throws `Problem` for other refusals. */
export async function endOnce(call: Promise<unknown>, done?: string): Promise<void> {
  try {
    await call;
    if (done !== undefined) notify(done);
  } catch (error) {
    if (problemOf(error).code !== 'not_found') throw error;
    notify(texts.rowGone);
  }
}

/** Returns a function from a select option's value to its label. */
export function optionLabels(options: readonly (readonly [string, string])[]): (value: string) => string {
  return (value) => options.find(([each]) => each === value)?.[1] ?? value;
}

/** The `disabled` field, which all resources have. */
export const disabledField: ShownField = {
  name: 'disabled',
  label: 'State',
  words: (isDisabled: boolean) => (isDisabled ? 'disabled' : 'enabled'),
};
