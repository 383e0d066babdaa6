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

/**
 * A field of a resource, as the user sees it. `words` returns the text for a value. If `words` is undefined, the value
 * itself is shown, and a list is joined with commas.
 */
export interface ShownField {
  name: string;
  label: string;
  words?: (value: never) => string;
}

/** The values of a resource and their ETag. The ETag is undefined for resources that the API returns only in lists. */
export interface Version<Of extends Values> {
  values: Of;
  etag?: string | undefined;
}

/** A stored resource, with the data to detect a conflicting change. */
export interface Stored<Of extends Values> {
  /** All fields of the resource, including those that the form does not change. */
  fields: readonly ShownField[];
  /** The version that the user saw when they began to edit. */
  was: Version<Of>;
  /** Reads the current version of the resource. Throws `Problem`. */
  read: () => Promise<Version<Of>>;
  reload: () => Promise<unknown>;
}

export interface Change<Of extends Values> extends Stored<Of> {
  /** The values in `was`, with the user's changes applied. */
  yours: Of;
  /** Sends the values to the API. Throws `Problem`. The caller of this function handles the error `stale`. */
  save: (values: Of, header: ReturnType<typeof ifUnchanged>) => Promise<unknown>;
}

type Asked = { change: Change<Values>; now: Version<Values> };

/**
 * Saves a resource, and handles the case that another user has changed it in the meantime. The dialog shows each field
 * whose value differs from the version that the user edited.
 */
export function useChange() {
  const [asked, setAsked] = useState<Asked>();
  const attempt = async (change: Change<Values>, from: Version<Values>, values: Values): Promise<boolean> => {
    // Without an ETag, the API cannot detect a conflict and would overwrite the other user's change. Therefore read the
    // current version first and compare it here.
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
    /**
     * Saves the values, or opens the dialog if another user has changed the resource. Returns true when the values are
     * saved. Throws `Problem` for all other errors.
     */
    change: <Of extends Values>(change: Change<Of>) => {
      const any = change as unknown as Change<Values>;
      return attempt(any, any.was, any.yours);
    },
    /** The dialog that asks about a conflicting change. The view must render it. */
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

/**
 * Returns the `If-Match` header for a second request of the same save, with the ETag that the first request returned.
 */
export function ifStill({ etag }: Version<Values>): ReturnType<typeof ifUnchanged> {
  return ifUnchanged(etag);
}

/** Saves a change in a row of a list at once, without a form. On an error, shows a notice and loads the list again. */
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

/** Merges the current values with the user's changes. Fields that the user did not change get the current value. */
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

/** Deletes a resource. If another user has already deleted it, shows a notice. Throws `Problem` for other errors. */
export async function endOnce(call: Promise<unknown>, done?: string): Promise<void> {
  try {
    await call;
    if (done !== undefined) notify(done);
  } catch (error) {
    if (problemOf(error).code !== 'not_found') throw error;
    notify(texts.rowGone);
  }
}

/** Returns a function that returns the label of a select option for its value. */
export function optionLabels(options: readonly (readonly [string, string])[]): (value: string) => string {
  return (value) => options.find(([each]) => each === value)?.[1] ?? value;
}

/** The field `disabled`, which all resources have. */
export const disabledField: ShownField = {
  name: 'disabled',
  label: 'State',
  words: (isDisabled: boolean) => (isDisabled ? 'disabled' : 'enabled'),
};
