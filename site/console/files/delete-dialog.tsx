import { useEffect, useState } from 'preact/hooks';
import { formatCount, shownName } from '../../../lib/pages/site/format.ts';
import { labelOf } from '../../data/keys.ts';
import type { EveryObject } from '../../data/objects.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { busyWhile, useOneAtATime } from '../components/once.ts';
import { findEverything, removeEverything } from './everything.ts';
import { BusyNotice, messageOf, Refusal, type SelectionProps } from './parts.tsx';
import { filesOf, texts } from './texts.ts';

/** Counts the objects before a deletion and asks the user to type a name. */
export function DeleteDialog({ names, repository: { objects, waits }, listed, onDone, onClose }: SelectionProps) {
  const [found, setFound] = useState<EveryObject>();
  const [counted, setCounted] = useState(0);
  const [typed, setTyped] = useState('');
  const [done, setDone] = useState<number>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    findEverything(objects, names, { listed, signal: controller.signal, onFound: setCounted })
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
  const remove = async (keys: readonly string[]) => {
    setDone(0);
    setProblem(undefined);
    try {
      const [failure, ...others] = await removeEverything(objects, keys, setDone);
      onDone(
        failure === undefined
          ? `${filesOf(keys.length)} deleted.`
          : `${filesOf(others.length + 1)} could not be deleted: ${failure.message}`,
      );
    } catch (error) {
      setDone(undefined);
      setProblem(messageOf(error));
    }
  };
  const confirm = (event: Event) => {
    event.preventDefault();
    if (isConfirmed && found !== undefined) void oneAtATime(() => remove(found.objects.map(({ key }) => key)));
  };
  const cancel = <Button label="Cancel" onClick={onClose} />;
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
      {problem !== undefined && <Refusal sentence={problem} />}
      <BusyNotice waits={waits} />
      {found === undefined && problem === undefined && <p role="status">{`Counting: ${filesOf(counted)} so far…`}</p>}
      {found?.isMore && <Refusal sentence={texts.tooMany} />}
      {found === undefined || found.isMore ? (
        <div class="actions">{cancel}</div>
      ) : (
        <form onSubmit={confirm}>
          <p>{texts.deleteWhat(found.objects.length, found.bytes)}</p>
          <div class="field">
            <label for="confirmation">{`Type ${confirmation} to confirm`}</label>
            {isOne && (
              <p>
                <CopyButton text={labelOf(first)} label="the name" />
              </p>
            )}
            <input
              id="confirmation"
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </div>
          {done !== undefined && (
            <p role="status">{`${formatCount(done)} of ${filesOf(found.objects.length)} deleted`}</p>
          )}
          <div class="actions">
            <button type="submit" class="button danger" disabled={!isConfirmed} {...busyWhile(done !== undefined)}>
              Delete
            </button>
            {cancel}
          </div>
        </form>
      )}
    </Dialog>
  );
}
