import type { FileMetaData } from 'hyparquet';
import { formatCount } from '../../../../lib/pages/site/format.ts';
import { cellOf, cutText } from '../../../../lib/pages/site/previews/cell-text.ts';

type Comparable = number | bigint | string;

const valueCharactersMax = 24;

/**
 * Returns the smallest value, the largest value, and the number of empty cells of a column, from the statistics in the
 * footer. Omits each value that a row group does not state.
 */
export function rangeOfValues({ row_groups }: FileMetaData, name: string): { range?: string } {
  const chunks = row_groups
    .filter(({ num_rows }) => num_rows > 0n)
    .map(({ columns, num_rows }) => {
      const found = columns.find(({ meta_data: { path_in_schema: path } = { path_in_schema: [] } }) => {
        return path.length === 1 && path[0] === name;
      })?.meta_data;
      return { statistics: found?.statistics, rows: num_rows, isSingle: found?.type === 'FLOAT' };
    });
  const lowest = extreme(
    chunks.map(({ statistics }) => statistics?.min_value),
    (a, b) => a < b,
  );
  const highest = extreme(
    chunks.map(({ statistics }) => statistics?.max_value),
    (a, b) => a > b,
  );
  const isSingle = chunks.some((chunk) => chunk.isSingle);
  const text = (value: Comparable) => cutText(cellOf(value, isSingle) ?? '', valueCharactersMax);
  const nulls = countNulls(chunks);
  const parts = [
    ...(lowest === undefined || highest === undefined ? [] : [`${text(lowest)} to ${text(highest)}`]),
    ...(nulls === undefined || nulls === 0n ? [] : [`${formatCount(nulls)} empty`]),
  ];
  return parts.length === 0 ? {} : { range: parts.join(', ') };
}

/**
 * Returns undefined if a statistic is missing, is not a number or text, or differs in type from the other statistics.
 */
function extreme(
  values: readonly unknown[],
  isBeyond: (a: Comparable, b: Comparable) => boolean,
): Comparable | undefined {
  let found: Comparable | undefined;
  for (const value of values) {
    if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string') return undefined;
    if (found !== undefined && typeof found !== typeof value) return undefined;
    if (found === undefined || isBeyond(value, found)) found = value;
  }
  return found;
}

function countNulls(chunks: readonly { statistics?: { null_count?: bigint } | undefined; rows: bigint }[]) {
  let nulls = 0n;
  for (const { statistics, rows } of chunks) {
    const count = statistics?.null_count;
    if (count === undefined || count < 0n || count > rows) return undefined;
    nulls += count;
  }
  return chunks.length === 0 ? undefined : nulls;
}
