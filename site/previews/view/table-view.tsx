import { type Cell, cutText } from '../../../lib/pages/site/previews/cell-text.ts';
import { previewTexts } from '../../../lib/pages/site/previews/sentences.ts';
import { texts } from '../../../lib/pages/site/texts.ts';
import type { Table } from '../preview.ts';

const nameCharactersMax = 80;

/** Shows a table with types below the column names. Absent values and unread values look different. */
export function TableView({ table }: { table: Table }) {
  const { columns, rows } = table;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={texts.preview}>
      <table class="rows">
        <thead>
          <tr>
            {columns.map(({ name, type, isNumber }, index) => (
              <th key={index} scope="col" class={isNumber ? 'number' : ''}>
                {cutText(name, nameCharactersMax)}
                {type !== undefined && <small>{type}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, index) => (
                <td key={index} class={classOf(cell, columns[index]?.isNumber)}>
                  {textOf(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(cell: Cell): string {
  if (cell === undefined) return previewTexts.notRead;
  return cell ?? previewTexts.nothing;
}

function classOf(cell: Cell, isNumber = false): string {
  return cell === undefined || cell === null ? 'nothing' : isNumber ? 'number' : '';
}
