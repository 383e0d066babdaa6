import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { cellOf, cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import {
  type ArraySlice,
  type SliceChoice,
  type SliceDimension,
  type SliceRange,
  type Stretch,
  stretches,
} from '../preview.ts';

export interface SliceProps {
  slice: ArraySlice;
  /**
   * Reads a slice. Rejects with an error whose message is for readers. With `wantsMore`, this and all later reads have
   * larger limits.
   */
  read: (choice: SliceChoice, wantsMore: boolean) => Promise<ArraySlice>;
}

/** The delay after the last change of the user's choice before the slice is read. */
const settleMs = 150;
const nameMax = 100;
/** The height of an image on a wide screen. */
const heightRem = 30;

/** Shows two dimensions of an array as an image. The user chooses the index of the other dimensions with sliders. */
export function SliceView({ slice: first, read }: SliceProps) {
  const { slice, choice, message, change } = useChosenSlice(first, read);
  const { arrays, dimensions, rows, columns, notes, hasMore } = slice;
  const isOfSlice = choice.array === slice.choice.array;
  const shown = { rows: choice.rows, columns: choice.columns };
  const setAt = (dimension: number, index: number) => change({ at: choice.at.with(dimension, index) });
  const setAxis = (axis: 'rows' | 'columns', dimension: number) => {
    const other = axis === 'rows' ? 'columns' : 'rows';
    const freed = choice[axis];
    const at = choice.at.map((index, each) => (each === dimension ? -1 : each === freed ? 0 : index));
    // If the user chooses the dimension of the other axis, exchange the two axes.
    if (choice[other] === dimension) change({ [axis]: dimension, [other]: freed, at: at.with(freed, -1) });
    else change({ [axis]: dimension, at });
  };
  return (
    <figure class="slice">
      <div class="choices">
        {arrays.length > 1 && (
          <label>
            Array{' '}
            <select value={choice.array} onChange={({ currentTarget: { value } }) => change({ array: value, at: [] })}>
              {arrays.map((path) => (
                <option key={path} value={path}>
                  {cutText(path, nameMax)}
                </option>
              ))}
            </select>
          </label>
        )}
        {dimensions.length > 2 &&
          (['rows', 'columns'] as const).map((axis) => (
            <label key={axis}>
              {axis === 'rows' ? 'Down' : 'Right'}{' '}
              <select value={shown[axis]} onChange={({ currentTarget: { value } }) => setAxis(axis, Number(value))}>
                {dimensions.map(({ name }, dimension) => (
                  <option key={dimension} value={dimension}>
                    {cutText(name, nameMax)}
                  </option>
                ))}
              </select>
            </label>
          ))}
        <label>
          Colors{' '}
          <select
            value={choice.stretch}
            onChange={({ currentTarget: { value } }) => change({ stretch: value as Stretch })}
          >
            {Object.entries(stretches)
              .filter(([name]) => name !== 'none')
              .map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
          </select>
        </label>
      </div>
      <SliceImage slice={slice} />
      {isOfSlice && (
        <div class="sliders">
          {dimensions.map((dimension, each) => {
            const range = each === slice.choice.rows ? rows : each === slice.choice.columns ? columns : undefined;
            const index = choice.at[each] ?? 0;
            // The slider of an axis moves the shown range, which has more than one cell.
            const last = dimension.size - (range?.length ?? 1);
            const step = range === undefined ? 1 : Math.max(1, Math.floor(range.length / 2));
            const text = range === undefined ? indexText(dimension, index) : rangeText(dimension, range);
            if (last <= 0) return null;
            return (
              <Slider
                key={each}
                name={dimension.name}
                {...{ text, last, step, index }}
                set={(chosen) => setAt(each, chosen)}
              />
            );
          })}
        </div>
      )}
      <figcaption>
        <p class="soft notes" role="status">
          {message ?? notes.join(' ')}
          {hasMore && (
            <button type="button" class="quiet" onClick={() => change({}, true)}>
              Read more
            </button>
          )}
        </p>
      </figcaption>
    </figure>
  );
}

/** Reads the slice that the user chose last. Only one read runs at a time. */
function useChosenSlice(first: ArraySlice, read: SliceProps['read']) {
  const [slice, setSlice] = useState(first);
  const [choice, setChoice] = useState(first.choice);
  const [message, setMessage] = useState<string>();
  const reading = useRef<{ isBusy: boolean; wanted: { choice: SliceChoice; wantsMore: boolean } | undefined }>({
    isBusy: false,
    wanted: undefined,
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    setSlice(first);
    setChoice(first.choice);
    setMessage(undefined);
  }, [first]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change = (changed: Partial<SliceChoice>, wantsMore = false) => {
    const next = { ...choice, ...changed };
    setChoice(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      reading.current.wanted = { choice: next, wantsMore };
      if (!reading.current.isBusy) void readWanted();
    }, settleMs);
  };

  async function readWanted(): Promise<void> {
    const { wanted } = reading.current;
    if (wanted === undefined) return;
    reading.current = { isBusy: true, wanted: undefined };
    setMessage('Loading this slice …');
    try {
      const found = await read(wanted.choice, wanted.wantsMore);
      setSlice(found);
      // The user may have changed the choice during the read.
      setChoice((current) => (current === wanted.choice ? found.choice : current));
      setMessage(undefined);
    } catch (error) {
      setMessage((error as Error).message);
    }
    reading.current.isBusy = false;
    await readWanted();
  }

  return { slice, choice, message, change };
}

interface SliderProps {
  name: string;
  text: string;
  last: number;
  step: number;
  index: number;
  set: (index: number) => void;
}

function Slider({ name, text, last, step, index, set }: SliderProps) {
  return (
    <label>
      <span>{cutText(name, nameMax)}</span>
      <input
        type="range"
        min={0}
        max={last}
        step={step}
        value={index}
        aria-valuetext={text}
        onInput={({ currentTarget: { value } }) => set(Number(value))}
      />
      <span class="soft">{text}</span>
    </label>
  );
}

/** Returns the text for an index, such as `index 4 of 0–364, 2020-01-05`. */
function indexText({ size, labels }: SliceDimension, index: number): string {
  const label = labels?.[index];
  return `index ${formatCount(index)} of 0–${formatCount(size - 1)}${label === undefined ? '' : `, ${label}`}`;
}

/** Returns the text for the shown range of an axis, such as `0–1,499 of 3,600`. */
function rangeText({ size }: SliceDimension, { start, length }: SliceRange): string {
  return `${formatCount(start)}–${formatCount(start + length - 1)} of ${formatCount(size)}`;
}

const moves: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Shows the image of a slice and the value of one cell: the cell under the pointer, or the cell that the arrow keys
 * select.
 */
function SliceImage({ slice }: { slice: ArraySlice }) {
  const { image, legend, unit, description } = slice;
  const { width, height, pixels } = image;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cell, setCell] = useState<readonly [x: number, y: number]>();
  const [isByKey, setByKey] = useState(false);
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [pixels, width, height]);
  const point = ({ clientX, clientY }: PointerEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return;
    const x = Math.floor(((clientX - box.left) / box.width) * width);
    const y = Math.floor(((clientY - box.top) / box.height) * height);
    setByKey(false);
    setCell(x >= 0 && y >= 0 && x < width && y < height ? [x, y] : undefined);
  };
  // The new slice may have fewer cells, so limit the selected position.
  const shown = cell && ([Math.min(cell[0], width - 1), Math.min(cell[1], height - 1)] as const);
  return (
    <>
      <div
        class="picture surface"
        style={{ width: `min(100%, 60rem, ${((heightRem * width) / height).toFixed(1)}rem)` }}
        tabindex={0}
        role="application"
        aria-roledescription="array"
        aria-label={description}
        aria-description="Arrow keys move the cell whose value is shown. With Shift, they move it by 10 cells."
        onFocus={({ currentTarget }) => {
          if (!currentTarget.matches(':focus-visible')) return;
          setByKey(true);
          setCell((before) => before ?? [width >> 1, height >> 1]);
        }}
        onKeyDown={(event) => {
          const move = moves[event.key];
          if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          const cells = event.shiftKey ? 10 : 1;
          const [x, y] = shown ?? [width >> 1, height >> 1];
          const inside = (index: number, size: number) => Math.min(size - 1, Math.max(0, index));
          setByKey(true);
          setCell([inside(x + move[0] * cells, width), inside(y + move[1] * cells, height)]);
        }}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setCell(undefined)}
      >
        <canvas ref={canvas} width={width} height={height} />
        {isByKey && shown !== undefined && (
          <span
            class="cell"
            style={{ left: `${((shown[0] + 0.5) / width) * 100}%`, top: `${((shown[1] + 0.5) / height) * 100}%` }}
          />
        )}
      </div>
      <p class="position" aria-live={isByKey ? 'polite' : 'off'}>
        {shown === undefined ? 'Point at a cell to see its value, or use the arrow keys.' : cellText(slice, ...shown)}
      </p>
      {legend !== undefined && (
        <p class="ramp">
          <span>{legend.lowest}</span>
          <span class="colours" aria-hidden="true" />
          <span>
            {legend.highest} {unit}
          </span>
        </p>
      )}
    </>
  );
}

/** Returns the position and the value of a cell, such as `lat 10 (52.5), lon 3 (13.25): 281.3 K`. */
function cellText(
  { choice, dimensions, rows, columns, isFlipped, image, values, isSingle, unit }: ArraySlice,
  x: number,
  y: number,
) {
  const value = values[y * image.width + x] ?? Number.NaN;
  const place = (dimension: number, { start, step }: SliceRange, pixel: number) => {
    const { name, labels } = dimensions[dimension] ?? { name: '' };
    const index = start + pixel * step;
    const label = labels?.[index];
    return `${cutText(name, nameMax)} ${formatCount(index)}${label === undefined ? '' : ` (${label})`}`;
  };
  const row = isFlipped ? image.height - 1 - y : y;
  const text = Number.isNaN(value) ? 'no value' : `${cellOf(value, isSingle)} ${unit}`.trim();
  return `${place(choice.rows, rows, row)}, ${place(choice.columns, columns, x)}: ${text}`;
}
