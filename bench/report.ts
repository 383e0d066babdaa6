/**
 * Prints a table with a title. The first column is aligned left. The other columns are mostly numbers and are aligned
 * right.
 */
export function printTable(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = columns.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
      )
      .join('  ')
      .trimEnd();
  console.log(`\n${title}\n\n  ${[columns, ...rows].map(line).join('\n  ')}`);
}

/** Formats a goal with the result: whether the measured number meets the goal. */
export function goal(measured: number, sign: '<' | '=' | '>', bound: number, unit = ''): string {
  const isMet = sign === '<' ? measured < bound : sign === '>' ? measured > bound : measured === bound;
  return `${sign} ${bound}${unit} ${isMet ? 'met' : 'missed'}`;
}

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

export const distributionColumns = ['p10', 'p50', 'p90', 'p99', 'max'];

/** Returns a table cell for each column in `distributionColumns`. */
export function distribution(samples: readonly number[]): string[] {
  return [0.1, 0.5, 0.9, 0.99, 1].map((part) => percentile(samples, part).toFixed(2));
}

/**
 * Returns a percentile of the samples.
 *
 * @param part the percentile as a fraction, such as 0.99 for p99
 */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
