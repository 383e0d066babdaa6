import { useEffect, useState } from 'preact/hooks';
import { formatCount, shownName } from '../../../lib/pages/site/format.ts';
import { labelOf } from '../../data/keys.ts';
import type { EveryObject } from '../../data/objects.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { findEverything, removeEverything } from './everything.ts';
import type { OpenRepository } from './open-repository.ts';
import { BusyNotice, messageOf, Refusal, refusalOf, type SelectionProps } from './parts.tsx';
import { filesOf, texts } from './texts.ts';

/** Counts the objects to be deleted, then asks the user to type a name as confirmation. */
export function DeleteDialog({ names, repository: { objects, waits }, listed, onDone, onClose }: SelectionProps) {
  const [found, setFound] = useState<EveryObject>();
  const [counted, setCounted] = useState(0);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    findEverything(objects, names, { listed, signal: controller.signal, onFound: setCounted })
      .then(setFound)
      .catch((error: unknown) => !controller.signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, []);
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
        <div class="actions">
          <Button label="Cancel" onClick={onClose} />
        </div>
      ) : (
        <Deletion names={names} found={found} objects={objects} onDone={onDone} onClose={onClose} />
      )}
    </Dialog>
  );
}

type DeletionProps = Pick<SelectionProps, 'names' | 'onDone' | 'onClose'> & {
  found: EveryObject;
  objects: OpenRepository['objects'];
};

/**
 * Deletes the objects after the user has confirmed. The user types the name of a single item, or the number of several
 * items.
 */
function Deletion({ names, found, objects, onDone, onClose }: DeletionProps) {
  const [values, setValues] = useState({ confirmation: '' });
  const [done, setDone] = useState<number>();
  const [first = ''] = names;
  const isOne = names.length === 1;
  const confirmation = isOne ? shownName(labelOf(first)) : String(names.length);
  // Also accept the text that the copy button copies. It may differ from the file's real name, because the page shows
  // some characters as escapes.
  const accepted = isOne ? [confirmation, labelOf(first)] : [confirmation];
  const isConfirmed = accepted.some((each) => values.confirmation.trim() === each.trim());
  const remove = async () => {
    const keys = found.objects.map(({ key }) => key);
    setDone(0);
    try {
      const [failure, ...others] = await removeEverything(objects, keys, setDone);
      onDone(
        failure === undefined
          ? `${filesOf(keys.length)} deleted.`
          : `${filesOf(others.length + 1)} could not be deleted: ${failure.message}`,
      );
    } catch (error) {
      setDone(undefined);
      throw refusalOf(error);
    }
  };
  return (
    <Form
      onSubmit={remove}
      submitLabel="Delete"
      onCancel={onClose}
      isDanger
      isDisabled={!isConfirmed}
      losesNothing
      values={values}
      onChange={setValues}
      fields={[
        <p>{texts.deleteWhat(found.objects.length, found.bytes)}</p>,
        { name: 'confirmation', label: `Type ${confirmation} to confirm`, isVerbatim: true },
        isOne && (
          <p>
            <CopyButton text={labelOf(first)} label="the name" />
          </p>
        ),
        done !== undefined && <p role="status">{`${formatCount(done)} of ${filesOf(found.objects.length)} deleted`}</p>,
      ]}
    />
  );
}
