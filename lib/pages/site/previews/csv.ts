/** Rows of a text of values, RFC 4180: quoted values may hold separators, quotes (doubled) and line breaks. */
export function readRows(text: string, separator: string, rowsMax: number): string[][] {
  const rows: string[][] = [];
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
    } else if (character === '\n') endRow();
    else if (character !== '\r') value += character;
  }
  if (rows.length < rowsMax && (value !== '' || row.length > 0)) endRow();
  return rows;
}
