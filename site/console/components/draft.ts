import { useState } from 'preact/hooks';
import { isSame, type Values, type Version, valueAt } from './stale.tsx';

export interface Begun<Of extends Values> {
  /** The version that the person began from. */
  was: Version<Of>;
  /** What the fields hold. */
  draft: Of;
  /** Of the fields, what was saved or given up; what was typed since then is in the draft alone. */
  ended?: Of | undefined;
  /** How often it was saved or given up. */
  times: number;
}

/**
 * The form beside a thing that was loaded anew, as after another form of the same view was saved: what the person changed
 * stays. It goes on from the new version, but where that has another value for what they changed: then it stays with its
 * own, so that saving it shows what became of both.
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
  /** Shows what is there now, after the draft was saved or given up. */
  reload: () => Promise<void>;
  /** Goes up with each of these: for `saved` of the form. */
  times: number;
}

/** What a form of a thing that has versions holds. `now` is what was loaded last, by `load`. */
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
      // As it was sent: of what was typed meanwhile nothing is lost.
      setBegun((begun) => ({ ...begun, ended: draft }));
    },
  };
}
