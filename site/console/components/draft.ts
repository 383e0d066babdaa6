import { useState } from 'preact/hooks';
import { isSame, type Values, type Version, valueAt } from './stale.tsx';

export interface Begun<Of extends Values> {
  /** The version from which the user began to edit. */
  was: Version<Of>;
  draft: Of;
  /** The field values that were saved or discarded. Later input is only in `draft`. */
  ended?: Of | undefined;
  /** The number of saves and discards so far. */
  times: number;
}

/**
 * Merges a form's draft with a newly loaded version, for example after another form of the view was saved. The user's
 * changes stay.
 * If both sides changed the same field, the draft keeps its old base version. Saving then shows the conflict.
 */
export function followed<Of extends Values>(begun: Begun<Of>, now: Version<Of>): Begun<Of> {
  const { was, draft, ended, times } = begun;
  const mine = Object.keys(draft).filter((name) => !isSame(valueAt(draft, name), valueAt(ended ?? was.values, name)));
  const isTheirsToo = mine.some((name) => !isSame(valueAt(was.values, name), valueAt(now.values, name)));
  if (ended === undefined && (now.etag === was.etag || isTheirsToo)) return begun;
  const kept = Object.fromEntries(mine.map((name) => [name, valueAt(draft, name)]));
  return { was: now, draft: { ...now.values, ...kept }, times: ended === undefined ? times : times + 1 };
}

interface Drafting<Of extends Values> {
  was: Version<Of>;
  draft: Of;
  setDraft: (draft: Of) => void;
  /** Loads and shows the current version, after the draft was saved or discarded. */
  reload: () => Promise<void>;
  /** Increases after each save or discard. Pass it to the form as `saved`. */
  times: number;
}

/** Holds the draft of a form for a versioned resource. `now` is the version that `load` returned last. */
export function useDraft<Of extends Values>(now: Version<Of>, load: () => Promise<unknown>): Drafting<Of> {
  const [begun, setBegun] = useState<Begun<Of>>({ was: now, draft: now.values, times: 0 });
  const current = followed(begun, now);
  if (current !== begun) setBegun(current);
  const { was, draft, times } = current;
  return {
    was,
    draft,
    times,
    setDraft: (draft) => setBegun((begun) => ({ ...begun, draft })),
    async reload() {
      await load();
      // Uses the draft as it was sent, so that input during the request is not lost.
      setBegun((begun) => ({ ...begun, ended: draft }));
    },
  };
}
