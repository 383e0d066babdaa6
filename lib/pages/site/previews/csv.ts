/** Returns only the rows of the result of {@link parseRows}. */
export function readRows(text: string, separator: string, rowsMax: number): string[][] {
  return parseRows(text, separator, rowsMax).rows;
}

interface ParsedRows {
  rows: string[][];
  /** The position in the text after the last complete row, which ends with a line break. */
  end: number;
  /** The number of rows before `end`. */
  endedRows: number;
}

/**
 * Parses comma-separated text (RFC 4180), or text with another separator. Quoted values may contain separators, doubled
 * quotes, and line breaks.
 */
export function parseRows(text: string, separator: string, rowsMax: number): ParsedRows {
  const rows: string[][] = [];
  let end = 0;
  let row: string[] = [];
  let value = '';
  let isQuoted = false;
  const endRow = () => {
    row.push(value);
    value = '';
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  for (let index = 0; index < text.length && rows.length < rowsMax; index += 1) {
    const character = text[index] ?? '';
    if (isQuoted) {
      if (character !== '"') value += character;
      else if (text[index + 1] === '"') {
        value += '"';
        index += 1;
      } else isQuoted = false;
    } else if (character === '"' && value === '') isQuoted = true;
    else if (character === separator) {
      row.push(value);
      value = '';
    } else if (character === '\n') {
      endRow();
      end = index + 1;
    } else if (character !== '\r') value += character;
  }
  const endedRows = rows.length;
  if (rows.length < rowsMax && (value !== '' || row.length > 0)) endRow();
  return { rows, end, endedRows };
}

/** Returns true if all values of a column are numbers. A number with a leading zero is a code, such as `032`. */
export function isNumberColumn(rows: readonly (readonly string[])[], column: number): boolean {
  const values = rows.flatMap((row) => row[column]?.trim() || []);
  return values.length > 0 && values.every((value) => /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value));
}

/**
 * The separators that `.csv` files may have. Spreadsheets write semicolons in countries where a comma is the decimal
 * mark.
 */
const separators = [',', ';', '\t'];
const rowsCompared = 20;

/**
 * Returns the separator of a `.csv` file. Prefers a separator with which all rows have the same length, and then the
 * one with the most values. The default is a comma.
 */
export function separatorOf(text: string): string {
  let [found = ','] = separators;
  let [wasTable, most] = [false, 1];
  for (const separator of separators) {
    const rows = readRows(text, separator, rowsCompared);
    const width = rows[0]?.length ?? 0;
    const isTable = width > 1 && rows.every((row) => row.length === width);
    const values = rows.reduce((sum, row) => sum + row.length, 0) / Math.max(rows.length, 1);
    // If two separators are equally good, take the later one. If commas and semicolons separate equally well, each
    // value contains one comma, which is a decimal mark.
    const isBetter = isTable === wasTable ? values > 1 && values >= most : isTable;
    if (isBetter) [found, wasTable, most] = [separator, isTable, values];
  }
  return found;
}
