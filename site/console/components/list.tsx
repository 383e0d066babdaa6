import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { type Answer, answerOf, type Called, pageQuery } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Loaded, type Loading, useLoading } from './loaded.tsx';
import { notifyRefusal } from './notices.tsx';
import { useBusy } from './once.ts';

export interface Page<Item> {
  items: readonly Item[];
  next: string | undefined;
}

interface PagedList<Item> extends Loading<Page<Item>> {
  more: () => Promise<void>;
  /**
   * Loads the page of the list that contains the row, and returns the current row. Throws `Problem` if the item no
   * longer exists.
   */
  reread: (item: Item, isSame: (other: Item) => boolean) => Promise<Item>;
}

export type LoadPage<Item> = (query: { limit: number; cursor?: string }) => Promise<Called<readonly Item[]>>;

/** Holds a list that is loaded page by page. `request` gets the query parameters for one page. */
export function useList<Item extends object>(request: LoadPage<Item>, keys: readonly string[]): PagedList<Item> {
  const load = (cursor: string | undefined): Promise<Answer<readonly Item[]>> => answerOf(request(pageQuery(cursor)));
  const cursors = useRef(new WeakMap<object, string | undefined>());
  const pageAt = async (cursor: string | undefined): Promise<Page<Item>> => {
    const { data, next } = await load(cursor);
    for (const item of data) cursors.current.set(item, cursor);
    return { items: data, next };
  };
  const loading = useLoading(() => pageAt(undefined), keys);
  const more = async () => {
    const state = loading.state.value;
    if (state.kind !== 'ready' || state.value.next === undefined) return;
    try {
      const page = await pageAt(state.value.next);
      loading.extend(state.value, { items: [...state.value.items, ...page.items], next: page.next });
    } catch (error) {
      notifyRefusal(error);
    }
  };
  const reread = async (item: Item, isSame: (other: Item) => boolean) => {
    const { data } = await load(cursors.current.get(item));
    const now = data.find(isSame);
    if (now === undefined) throw new Problem(404, 'not_found', texts.rowGone);
    return now;
  };
  return { ...loading, more, reread };
}

export interface Column<Item> {
  title: string;
  cell: (item: Item) => ComponentChildren;
  /** True when narrow screens show the parts of a cell on separate lines. */
  class?: 'when' | 'day' | 'lines';
  /** True when narrow screens, which have no table header, show the column's title beside the value. */
  isLabeled?: boolean;
}

interface ListProps<Item extends object> {
  list: ReturnType<typeof useList<Item>>;
  /** The accessible name of the list, for screen readers. */
  label: string;
  columns: readonly Column<Item>[];
  /** Combines the loaded rows before the list shows them. */
  arrange?: (items: readonly Item[]) => readonly Item[];
  /** The text for an empty list. It suggests the first action. */
  empty: ComponentChildren;
}

/**
 * Renders the loaded rows, and a button that loads the next page. Narrow screens stack the cells, and `data-label`
 * contains the title of each cell's column.
 */
export function List<Item extends object>({ list, label, columns, arrange, empty }: ListProps<Item>) {
  const { run, busy } = useBusy();
  return (
    <Loaded loading={list}>
      {({ items, next }) =>
        items.length === 0 && next === undefined ? (
          <div class="empty">{typeof empty === 'string' ? <p>{empty}</p> : empty}</div>
        ) : (
          <>
            <Table label={label} columns={columns} items={arrange ? arrange(items) : items} />
            {next !== undefined && (
              <p>
                <Button kind="plain" label="Show more" {...busy} onClick={() => void run(list.more)} />
              </p>
            )}
          </>
        )
      }
    </Loaded>
  );
}

interface TableProps<Item> {
  /** The accessible name of the table, for screen readers. */
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
}

export function Table<Item>({ label, columns, items }: TableProps<Item>) {
  return (
    <div class="table stacked" tabindex={0} role="region" aria-label={label}>
      <table class="files">
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={index}>
              {columns.map(({ title, cell, class: className, isLabeled }) => (
                <td key={title} class={className} data-label={isLabeled ? title : undefined}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Renders texts below each other. All except the first are less prominent. */
export function Lines({ of: [first, ...others] }: { of: readonly ComponentChildren[] }) {
  return (
    <>
      {first}
      {others.map(
        (line) =>
          line && (
            <>
              <br />
              <span class="soft">{line}</span>
            </>
          ),
      )}
    </>
  );
}

interface RowSelectProps<Value extends string> {
  /** The accessible name of the select, for screen readers. */
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChange: (value: Value) => void;
}

/** Renders a select in a table row. A change is saved at once, without a submit button. */
export function RowSelect<Value extends string>({ label, value, options, onChange }: RowSelectProps<Value>) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}>
      {options.map(([each, words]) => (
        <option key={each} value={each} selected={each === value}>
          {words}
        </option>
      ))}
    </select>
  );
}

/**
 * Renders a table of labels and values, for example the properties of a resource. Rows that are `false` are not shown.
 */
export function Properties({
  rows,
}: {
  rows: readonly (readonly [label: ComponentChildren, value: ComponentChildren] | false)[];
}) {
  return (
    <dl class="properties wide">
      {rows.map(
        (row) =>
          row && (
            <div>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
