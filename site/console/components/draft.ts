import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { notify } from './notices.tsx';
import { type Change, isSame, useChange, type Values, type Version, valueAt } from './stale.tsx';

interface Edit<Of extends Values> {
  /** The stored version of the resource on which the user's edits are based. */
  was: Version<Of>;
  draft: Of;
  /** The field values at the last save or discard. Later input is only in `draft`. */
  ended?: Of | undefined;
  /** The number of saves and discards so far. */
  times: number;
}

/**
 * Merges a form's draft with a newly loaded version of the resource. The version is newer, for example, when another
 * form of the view was saved. The fields that the user changed keep the user's values.
 * If both the user and the new version changed the same field, the draft keeps its old base version. The next save then
 * reports the conflict.
 */
function rebase<Of extends Values>(edit: Edit<Of>, now: Version<Of>): Edit<Of> {
  const { was, draft, ended, times } = edit;
  const mine = Object.keys(draft).filter((name) => !isSame(valueAt(draft, name), valueAt(ended ?? was.values, name)));
  const isTheirsToo = mine.some((name) => !isSame(valueAt(was.values, name), valueAt(now.values, name)));
  if (ended === undefined && (now.etag === was.etag || isTheirsToo)) return edit;
  const changed = Object.fromEntries(mine.map((name) => [name, valueAt(draft, name)]));
  return { was: now, draft: { ...now.values, ...changed }, times: ended === undefined ? times : times + 1 };
}

/** Holds the draft of a form for a resource with an ETag. `now` is the version that `load` last returned. */
export function useDraft<Of extends Values>(now: Version<Of>, load: () => Promise<unknown>) {
  const [edit, setEdit] = useState<Edit<Of>>({ was: now, draft: now.values, times: 0 });
  const current = rebase(edit, now);
  if (current !== edit) setEdit(current);
  const { was, draft, times } = current;
  return {
    was,
    draft,
    /** The number of saves and discards. Pass it to the form as `saved`. */
    times,
    setDraft: (draft: Of) => setEdit((edit) => ({ ...edit, draft })),
    discard: () => setEdit(({ times }) => ({ was: now, draft: now.values, times: times + 1 })),
    /** Loads and shows the current version of the resource. Call it after the draft was saved or discarded. */
    async reload() {
      await load();
      // `draft` is the draft that was sent. Input that the user typed during the request stays unsaved and is not lost.
      setEdit((edit) => ({ ...edit, ended: draft }));
    },
  };
}

interface VersionedForm<Of extends Values> extends Omit<Change<Of>, 'yours'> {
  /** Converts the typed values to the values to send, for example by trimming text. */
  normalize?: (draft: Of) => Of;
}

/**
 * Edits and saves a resource with an ETag, and detects conflicting changes. Pass `form` to the form. The view must
 * render `staleDialog`. A section of settings also passes `bar`.
 */
export function useVersionedForm<Of extends Values>({ normalize, save, ...stored }: VersionedForm<Of>) {
  const { was, draft, setDraft, discard, reload, times } = useDraft(stored.was, stored.reload);
  const { change: send, staleDialog } = useChange();
  const saveAll: typeof save = async (values, header) => {
    await save(values, header);
    await reload();
    notify(texts.saved);
  };
  const onSubmit = () => send({ ...stored, was, yours: normalize?.(draft) ?? draft, save: saveAll, reload });
  const form = { values: draft, onChange: setDraft, saved: times, submitLabel: 'Save', onSubmit };
  const changed = stored.fields.filter(({ name }) => !isSame(valueAt(draft, name), valueAt(was.values, name)));
  const bar = { labels: changed.map(({ label }) => label), discard };
  return { was, draft, setDraft, form, bar, staleDialog };
}
