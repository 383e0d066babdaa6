import { cutText, significantText } from '../../../../lib/pages/site/previews/cell-text.ts';
import type { FeatureColumn } from '../../preview.ts';

/** A mapping from the values of a column to the colors of features. */
export interface ColumnStyle {
  /** The class of each feature. A feature without a value has the class -1. */
  classes: Int8Array;
  /** The legend text of each class. */
  labels: string[];
  /** Numbers have a color scale from dark to light. Texts have different colors. */
  isScale: boolean;
}

/** The number of classes that have their own color. */
const classesMax = 6;
const labelMax = 40;

/** Colors features by a column: numbers by classes of equal size, texts by the most frequent values. */
export function styleBy({ values }: FeatureColumn): ColumnStyle {
  return values instanceof Float64Array ? numberStyle(values) : textStyle(values);
}

function numberStyle(values: Float64Array): ColumnStyle {
  const sorted = values.filter(Number.isFinite).sort();
  const distinct = sorted.filter((value, index) => index === 0 || value !== sorted[index - 1]);
  const count = Math.min(classesMax, distinct.length);
  const bounds =
    distinct.length <= classesMax
      ? distinct
      : Float64Array.from(
          new Set(Array.from({ length: count }, (_, at) => sorted[Math.floor((at * sorted.length) / count)] ?? 0)),
        );
  const classes = Int8Array.from(values, (value) =>
    Number.isFinite(value) ? bounds.findLastIndex((bound) => bound <= value) : -1,
  );
  const labels = Array.from(bounds, (bound, at) => {
    if (distinct.length <= classesMax) return shortNumber(bound);
    const next = bounds[at + 1];
    return next === undefined
      ? `${shortNumber(bound)} – ${shortNumber(sorted.at(-1) ?? bound)}`
      : `${shortNumber(bound)} – ${shortNumber(next)}`;
  });
  return { classes, labels, isScale: true };
}

function textStyle(values: readonly (string | null | undefined)[]): ColumnStyle {
  const counts = new Map<string, number>();
  for (const value of values) if (value != null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const frequent = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, counts.size > classesMax ? classesMax - 1 : classesMax)
    .map(([value]) => value);
  const others = counts.size - frequent.length;
  const classes = Int8Array.from(values, (value) => {
    if (value == null) return -1;
    const at = frequent.indexOf(value);
    return at === -1 ? frequent.length : at;
  });
  const labels = frequent.map((value) => cutText(value, labelMax) || '(empty)');
  return { classes, labels: others > 0 ? [...labels, `${others} other values`] : labels, isScale: false };
}

function shortNumber(value: number): string {
  return significantText(value, 4);
}
