import { useEffect, useMemo, useState } from 'preact/hooks';
import { counted, formatCount } from '../../../lib/pages/site/format.ts';
import type { Cell } from '../../../lib/pages/site/previews/cell-text.ts';
import { DataTable } from '../../../lib/pages/site/tables.tsx';
import type { PartRequest, PreviewTable } from '../preview.ts';

/** The number of rows on a page. More rows make the page slow on a phone. */
const rowsOnPage = 100;

interface TableViewProps {
  table: PreviewTable;
  readPart: (part: PartRequest) => Promise<void>;
}

interface Order {
  column: number;
  isDescending: boolean;
}

/**
 * Shows the loaded rows of a table, one page at a time, and loads earlier or later rows. Sorting and filtering apply
 * only to the loaded rows, and a note says this.
 */
export function TableView({ table, readPart }: TableViewProps) {
  const { columns, rows, start = {}, firstRow = 0, rowsInFile, next, hasIndex = false } = table;
  const [words, setWords] = useState('');
  const [sorted, setSorted] = useState<Order>();
  const [page, setPage] = useState(0);
  // The start positions of earlier parts. In a format without an index of rows, only reading forward finds them.
  const [earlier, setEarlier] = useState<readonly PartRequest[]>([]);
  const lines = useMemo(() => linesOf(table, words, sorted), [table, words, sorted]);
  useEffect(() => setPage(0), [table, words, sorted]);

  const load = (part: PartRequest, parts: readonly PartRequest[]) => {
    setEarlier(parts);
    void readPart(part);
  };
  const before = hasIndex && firstRow > 0 ? { row: Math.max(0, firstRow - rows.length) } : earlier.at(-1);
  const readBefore = before && (() => load(before, earlier.slice(0, -1)));
  const readNext = next && (() => load(next, [...earlier, start]));
  const sort = (column: number) =>
    setSorted((order) => {
      if (order?.column !== column) return { column, isDescending: false };
      return order.isDescending ? undefined : { column, isDescending: true };
    });

  const pageStart = page * rowsOnPage;
  const shown = lines.slice(pageStart, pageStart + rowsOnPage);
  const isWhole = firstRow === 0 && next === undefined;
  const last = firstRow + rows.length;
  const loaded = isWhole
    ? `${counted(rows.length, 'row')}.`
    : `Rows ${formatCount(firstRow + 1)}–${formatCount(last)}${rowsInFile === undefined ? '' : ` of ${formatCount(rowsInFile)}`} loaded.`;
  return (
    <div class="table-view">
      <div class="tools">
        <label>
          Filter
          <input type="search" value={words} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
        </label>
        <p class="soft" role="status">
          {rows.length === 0 ? 'No rows.' : loaded}
          {!isWhole && rows.length > 0 && ' Sort and filter apply to these rows.'}
          {words !== '' && ` ${counted(lines.length, 'row')} found.`}
        </p>
      </div>
      <DataTable
        table={{ columns, rows: shown.map((line) => rows[line] ?? []) }}
        label="Table"
        numberOf={(line) => firstRow + (shown[line] ?? 0) + 1}
        sorted={sorted}
        onSort={sort}
      />
      <div class="tools" role="group" aria-label="Pages of the table">
        <PageButtons count={lines.length} {...{ page, setPage }} />
        {readBefore && (
          <button type="button" class="quiet" onClick={readBefore}>
            Load rows before
          </button>
        )}
        {readNext && (
          <button type="button" class="quiet" onClick={readNext}>
            Load next rows
          </button>
        )}
        {hasIndex && !isWhole && rowsInFile !== undefined && (
          <GoToRow rowsInFile={rowsInFile} go={(row) => load({ row }, [])} />
        )}
      </div>
    </div>
  );
}

interface PageButtonsProps {
  count: number;
  page: number;
  setPage: (page: number) => void;
}

function PageButtons({ count, page, setPage }: PageButtonsProps) {
  const pages = Math.ceil(count / rowsOnPage);
  if (pages < 2) return null;
  return (
    <>
      <button type="button" class="quiet" disabled={page === 0} onClick={() => setPage(page - 1)}>
        Previous page
      </button>
      <span>
        Page {page + 1} of {pages}
      </span>
      <button type="button" class="quiet" disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
        Next page
      </button>
    </>
  );
}

function GoToRow({ rowsInFile, go }: { rowsInFile: number; go: (row: number) => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const row = Number(new FormData(event.currentTarget).get('row'));
        if (Number.isSafeInteger(row) && row >= 1 && row <= rowsInFile) go(row - 1);
      }}
    >
      <label>
        Go to row
        <input type="number" name="row" min={1} max={rowsInFile} required />
      </label>
      <button type="submit" class="quiet">
        Go
      </button>
    </form>
  );
}

/** Returns the numbers of the loaded rows that contain the search words, in the chosen sort order. */
export function linesOf({ columns, rows }: PreviewTable, words: string, sorted: Order | undefined): number[] {
  const wanted = words.trim().toLowerCase();
  const found = [...rows.keys()].filter(
    (line) => wanted === '' || rows[line]?.some((cell) => cell?.toLowerCase().includes(wanted)),
  );
  if (sorted === undefined) return found;
  const { column, isDescending } = sorted;
  const compare = columns[column]?.isNumber ? compareNumbers : compareTexts;
  return found.toSorted((a, b) => {
    const [first, second] = [rows[a]?.[column], rows[b]?.[column]];
    // Cells without a value are last in ascending and descending order.
    if (!first || !second) return Number(!first) - Number(!second);
    return isDescending ? compare(second, first) : compare(first, second);
  });
}

type Text = NonNullable<Cell>;

function compareNumbers(a: Text, b: Text): number {
  const [first, second] = [Number(a), Number(b)];
  if (Number.isNaN(first) || Number.isNaN(second)) return Number(Number.isNaN(first)) - Number(Number.isNaN(second));
  return first - second || compareTexts(a, b);
}

const collator = new Intl.Collator('en', { numeric: true });

function compareTexts(a: Text, b: Text): number {
  return collator.compare(a, b);
}
