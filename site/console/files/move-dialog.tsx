import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { findKeyFault, labelOf } from '../../data/keys.ts';
import { faultAt } from '../api/problem.ts';
import { Dialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { findEverything } from './everything.ts';
import { BusyNotice, refusalOf, type SelectionProps } from './parts.tsx';
import { filesOf, texts } from './texts.ts';

interface MoveProps extends SelectionProps {
  folder: string;
  /** Called when the move has failed. Some objects may already have moved. */
  onFailed: () => void;
}

/** Asks for the new path of a single file or folder, or for the target folder of several items. */
export function MoveDialog(props: MoveProps) {
  const { folder, names, repository, onClose } = props;
  const [first = ''] = names;
  const isOne = names.length === 1;
  const [values, setValues] = useState({ target: isOne ? first : folder });
  const { move, progress } = useMove(props);
  return (
    <Dialog title={isOne ? 'Move or rename' : texts.moveMany(names.length)} onClose={onClose}>
      <Form
        onSubmit={() => move(values.target)}
        submitLabel="Move or rename"
        onCancel={onClose}
        losesNothing
        values={values}
        onChange={setValues}
        fields={[
          {
            name: 'target',
            label: isOne ? 'New path in this repository' : 'Target folder (empty for the top folder)',
            isVerbatim: true,
            hint: isOne
              ? 'Write the folder before the name, as in archive/2025.csv. It need not exist yet.'
              : undefined,
          },
        ]}
      >
        <p class="soft">
          The storage copies the file, compares the copy, and deletes the original. Links to the old path stop working.
        </p>
        <BusyNotice waits={repository.waits} />
        {progress !== undefined && (
          <p role="status">{`${formatCount(progress.done)} of ${filesOf(progress.all)} moved`}</p>
        )}
      </Form>
    </Dialog>
  );
}

/** Moves the selected objects one after the other. Closing the dialog stops the move. */
function useMove({ names, repository: { objects, mover }, listed, onDone, onFailed }: MoveProps) {
  const [progress, setProgress] = useState<{ done: number; all: number }>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const move = async (target: string) => {
    const fault = faultOf(target, names);
    if (fault !== undefined) throw faultAt('target', fault);
    const { signal } = controller.current;
    setProgress({ done: 0, all: names.length });
    try {
      const found = await findEverything(objects, names, { listed, signal });
      if (found.isMore) throw new Error(texts.tooMany);
      const moves = found.objects.map(({ key }) => ({ from: key, to: newKeyOf(key, names, target) }));
      setProgress({ done: 0, all: moves.length });
      // If one move fails, the objects before it have moved and the objects after it have not.
      for (const [index, { from, to }] of moves.entries()) {
        await mover.move(from, to, { signal });
        setProgress({ done: index + 1, all: moves.length });
      }
      onDone(`${filesOf(moves.length)} moved.`);
    } catch (error) {
      onFailed();
      setProgress(undefined);
      throw refusalOf(error);
    }
  };
  return { move, progress };
}

const nameFaults: Record<NonNullable<ReturnType<typeof findKeyFault>>, string> = {
  empty: 'Enter a name.',
  dots: 'A part of the path must not be . or ..',
  control: 'The name contains control characters.',
  too_long: 'The name is longer than 1,024 bytes.',
  not_text: 'The name is not valid text.',
};

/** Returns the reason why the target path is not allowed, or undefined if it is allowed. */
function faultOf(target: string, names: readonly string[]): string | undefined {
  const isOne = names.length === 1;
  if (!isOne && target === '') return undefined;
  const fault = findKeyFault(target);
  if (fault !== undefined) return nameFaults[fault];
  return isOne && withSlash(target, names) === names[0] ? 'This is already its name.' : undefined;
}

/** Returns the new key of an object. An object in a moved folder keeps its path inside that folder. */
function newKeyOf(key: string, names: readonly string[], target: string): string {
  const moved = names.find((name) => name === key || (name.endsWith('/') && key.startsWith(name))) ?? key;
  if (names.length === 1) return withSlash(target, names) + key.slice(moved.length);
  const folder = target === '' || target.endsWith('/') ? target : `${target}/`;
  return `${folder}${labelOf(moved)}${key.slice(moved.replace(/\/$/, '').length)}`;
}

/** Adds the final slash if a folder is moved and the typed target has none. */
function withSlash(target: string, [name = '']: readonly string[]): string {
  return name.endsWith('/') && !target.endsWith('/') ? `${target}/` : target;
}
