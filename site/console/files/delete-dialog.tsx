import { useEffect, useState } from 'preact/hooks';
import { shownName } from '../../../lib/pages/site/format.ts';
import { labelOf } from '../../data/keys.ts';
import type { EveryObject } from '../../data/objects.ts';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { busyWhile, useOneAtATime } from '../components/once.ts';
import { BusyNotice } from './busy-notice.tsx';
import { messageOf } from './message-of.ts';
import { texts } from './texts.ts';
import type { Waits } from './waits.ts';

interface DeleteProps {
  /** Keys, and folder prefixes with their final slash. */
  names: readonly string[];
  max: number;
  waits: Waits;
  /** Lists all objects of the selected names. */
  count: (signal: AbortSignal, onFound: (count: number) => void) => Promise<EveryObject>;
  onDelete: (keys: readonly string[], onDone: (count: number) => void) => Promise<void>;
  onClose: () => void;
}

/** Counts the objects before a deletion and asks the user to type a name. */
export function DeleteDialog({ names, max, waits, count, onDelete, onClose }: DeleteProps) {
  const [found, setFound] = useState<EveryObject>();
  const [counted, setCounted] = useState(0);
  const [typed, setTyped] = useState('');
  const [done, setDone] = useState<number>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    count(controller.signal, setCounted)
      .then(setFound)
      .catch((error: unknown) => !controller.signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, []);
  const oneAtATime = useOneAtATime();
  const [first = ''] = names;
  const isOne = names.length === 1;
  const confirmation = isOne ? shownName(labelOf(first)) : String(names.length);
  // Also accept the value that the button copies. The shown name may have escapes in place of characters.
  const accepted = isOne ? [confirmation, labelOf(first)] : [confirmation];
  const isConfirmed = accepted.some((each) => typed.trim() === each.trim());
  const confirm = (event: Event) => {
    event.preventDefault();
    if (!isConfirmed || found === undefined) return;
    const keys = found.objects.map(({ key }) => key);
    void oneAtATime(async () => {
      setDone(0);
      setProblem(undefined);
      try {
        await onDelete(keys, setDone);
      } catch (error) {
        setDone(undefined);
        setProblem(messageOf(error));
      }
    });
  };
  return (
    <Dialog title={texts.deleteTitle(names.length)} onClose={onClose}>
      {names.length <= 5 && (
        <ul class="notes">
          {names.map((name) => (
            <li key={name} class="path">
              {shownName(name)}
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <p class="notice" role="alert">
          {problem}
        </p>
      )}
      <BusyNotice waits={waits} />
      {found === undefined && problem === undefined && <p role="status">{texts.deleteCounting(counted)}</p>}
      {found?.isMore && (
        <p class="notice" role="alert">
          {texts.tooMany(max)}
        </p>
      )}
      {found !== undefined && !found.isMore && (
        <form onSubmit={confirm}>
          <p>{texts.deleteWhat(found.objects.length, found.bytes)}</p>
          <div class="field">
            <label for="confirmation">{texts.typeName(confirmation)}</label>
            {isOne && (
              <p>
                <CopyButton text={labelOf(first)} label={texts.theName} />
              </p>
            )}
            <input
              id="confirmation"
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped((event.target as HTMLInputElement).value)}
            />
          </div>
          {done !== undefined && <p role="status">{texts.deleting(done, found.objects.length)}</p>}
          <div class="actions">
            <button type="submit" class="button danger" disabled={!isConfirmed} {...busyWhile(done !== undefined)}>
              {texts.delete}
            </button>
            <button type="button" class="button second" onClick={onClose}>
              {texts.cancel}
            </button>
          </div>
        </form>
      )}
      {(found === undefined || found.isMore) && (
        <div class="actions">
          <button type="button" class="button second" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      )}
    </Dialog>
  );
}
