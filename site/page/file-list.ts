import { announce } from './copy.ts';

/** Lists with at least this many files and folders get a filter field. */
const filterFrom = 8;

/** Lets the reader sort and filter the rows of a list of files. Rows of other pages of the list are not included. */
export function sortAndFilter(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  const rows = [...(body?.rows ?? [])].filter((row) => !row.classList.contains('parent'));
  if (body === undefined || rows.length < 2) return;
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  for (const [column, head] of heads.entries()) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'plain';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const isNumber = head.classList.contains('number');
      // Sort size and date in descending order first, because readers look for the largest and the newest files.
      const isDescending = head.ariaSort === null ? isNumber : head.ariaSort === 'ascending';
      for (const one of heads) one.removeAttribute('aria-sort');
      head.ariaSort = isDescending ? 'descending' : 'ascending';
      body.append(...rows.toSorted((a, b) => compare(a, b, column) * (isDescending ? -1 : 1)).toSorted(foldersFirst));
    });
  }
  if (rows.length >= filterFrom) table.before(filterFor(rows, table.dataset['more'] !== undefined));
}

function filterFor(rows: readonly HTMLTableRowElement[], hasMore: boolean): HTMLElement {
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Filter by name';
  input.ariaLabel = hasMore ? 'Filter the files of this page by name' : 'Filter the files by name';
  input.addEventListener('input', () => {
    const words = input.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !nameOf(row).toLowerCase().includes(words);
    announce(`${rows.filter(({ hidden }) => !hidden).length} of ${rows.length} shown`);
  });
  const tools = document.createElement('p');
  tools.className = 'list-tools';
  tools.append(input);
  if (hasMore) {
    const note = document.createElement('span');
    note.className = 'soft';
    note.textContent = 'The list has more pages. Sorting and the filter cover this page.';
    tools.append(note);
  }
  return tools;
}

function nameOf(row: HTMLTableRowElement): string {
  return row.querySelector('a')?.textContent ?? '';
}

const collator = new Intl.Collator('en', { numeric: true });

function compare(a: HTMLTableRowElement, b: HTMLTableRowElement, column: number): number {
  const [one, other] = [a.cells[column], b.cells[column]];
  const size = Number(one?.dataset['value'] ?? -1) - Number(other?.dataset['value'] ?? -1);
  return size !== 0 ? size : collator.compare(one?.textContent ?? '', other?.textContent ?? '');
}

function foldersFirst(a: HTMLTableRowElement, b: HTMLTableRowElement): number {
  return Number(b.classList.contains('folder')) - Number(a.classList.contains('folder'));
}
