import { useEffect, useRef, useState } from 'preact/hooks';
import { findKeyFault, labelOf } from '../../data/keys.ts';
import type { EveryObject } from '../../data/objects.ts';
import { Dialog } from '../components/dialogs.tsx';
import { busyWhile, useOneAtATime } from '../components/once.ts';
import { BusyNotice } from './busy-notice.tsx';
import { messageOf } from './message-of.ts';
import { texts } from './texts.ts';
import type { Waits } from './waits.ts';

export interface Move {
  from: string;
  to: string;
}

interface MoveProps {
  folder: string;
  names: readonly string[];
  max: number;
  waits: Waits;
  list: (signal: AbortSignal) => Promise<EveryObject>;
  /** Moves the objects in order. Rejects at the first failure; the objects before it are already moved. */
  onMove: (moves: readonly Move[], signal: AbortSignal, onDone: (count: number) => void) => Promise<void>;
  onClose: () => void;
}

/** Asks for the new path of one file or folder, or for a target folder for several. */
export function MoveDialog({ folder, names, max, waits, list, onMove, onClose }: MoveProps) {
  const [first = ''] = names;
  const isOne = names.length === 1;
  const [target, setTarget] = useState(isOne ? first : folder);
  const [problem, setProblem] = useState<string>();
  const [progress, setProgress] = useState<{ done: number; all: number }>();
  const oneAtATime = useOneAtATime();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    const fault = faultOf(target, names);
    setProblem(fault);
    if (fault !== undefined) return;
    const { signal } = controller.current;
    void oneAtATime(async () => {
      setProgress({ done: 0, all: names.length });
      try {
        const { objects, isMore } = await list(signal);
        if (isMore) throw new Error(texts.tooMany(max));
        const moves = objects.map(({ key }) => ({ from: key, to: newKeyOf(key, names, target) }));
        setProgress({ done: 0, all: moves.length });
        await onMove(moves, signal, (done) => setProgress({ done, all: moves.length }));
      } catch (error) {
        if (signal.aborted) return;
        setProgress(undefined);
        setProblem(messageOf(error));
      }
    });
  };
  return (
    <Dialog title={isOne ? texts.move : texts.moveMany(names.length)} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="field">
          <label for="target">{isOne ? texts.newName : texts.newFolder}</label>
          <input
            id="target"
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={target}
            aria-invalid={problem !== undefined}
            aria-describedby="move-hint move-problem"
            onInput={(event) => setTarget((event.target as HTMLInputElement).value)}
          />
          {isOne && (
            <p id="move-hint" class="hint">
              {texts.newNameHint}
            </p>
          )}
          <p id="move-problem" class="fault" role="alert">
            {problem}
          </p>
        </div>
        <p class="soft">{texts.moveHint}</p>
        <BusyNotice waits={waits} />
        {progress !== undefined && <p role="status">{texts.moving(progress.done, progress.all)}</p>}
        <div class="actions">
          <button type="submit" class="button" {...busyWhile(progress !== undefined)}>
            {texts.move}
          </button>
          <button type="button" class="button second" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the reason why the target is not allowed, or undefined. */
export function faultOf(target: string, names: readonly string[]): string | undefined {
  const isOne = names.length === 1;
  if (!isOne && target === '') return undefined;
  const fault = findKeyFault(target);
  if (fault !== undefined) return texts.badName[fault];
  return isOne && withSlash(target, names) === names[0] ? texts.sameName : undefined;
}

/** Returns the new key of an object. Objects in a moved folder keep their path below it. */
export function newKeyOf(key: string, names: readonly string[], target: string): string {
  const moved = names.find((name) => name === key || (name.endsWith('/') && key.startsWith(name))) ?? key;
  if (names.length === 1) return withSlash(target, names) + key.slice(moved.length);
  const folder = target === '' || target.endsWith('/') ? target : `${target}/`;
  return `${folder}${labelOf(moved)}${key.slice(moved.replace(/\/$/, '').length)}`;
}

/** Adds the final slash that a folder needs. */
function withSlash(target: string, [name = '']: readonly string[]): string {
  return name.endsWith('/') && !target.endsWith('/') ? `${target}/` : target;
}
