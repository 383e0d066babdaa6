import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Answer } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { texts } from '../texts.ts';
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
   * Reads the row again with one request for its page, and returns the current item. Throws `Problem` if the item no
   * longer exists.
   */
  reread: (item: Item, isSame: (other: Item) => boolean) => Promise<Item>;
}

/** Holds a list that is loaded by pages. `load` gets the cursor of the page. */
export function useList<Item extends object>(
  load: (cursor: string | undefined) => Promise<Answer<readonly Item[]>>,
  keys: readonly string[],
): PagedList<Item> {
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

interface ListProps<Item extends object> {
  list: ReturnType<typeof useList<Item>>;
  /** The accessible name of the list. */
  label: string;
  columns: readonly string[];
  row: (item: Item) => ComponentChildren;
  /** Content for an empty list: a sentence and a first action. */
  empty: ComponentChildren;
}

/**
 * Renders the loaded rows as a table and a button for the next page. `row` returns the cells of a row.
 * On narrow screens the cells are stacked, and `data-label` names each one.
 */
export function List<Item extends object>({ list, label, columns, row, empty }: ListProps<Item>) {
  const { run, busy } = useBusy();
  return (
    <Loaded loading={list}>
      {({ items, next }) =>
        items.length === 0 && next === undefined ? (
          <div class="empty">{empty}</div>
        ) : (
          <>
            <div class="table stacked" tabindex={0} role="region" aria-label={label}>
              <table class="files">
                <thead>
                  <tr>
                    {columns.map((name) => (
                      <th scope="col" key={name}>
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {items.map((item, index) => (
                    <tr key={index}>{row(item)}</tr>
                  ))}
                </tbody>
              </table>
            </div>
            {next !== undefined && (
              <p>
                <button type="button" class="plain" {...busy} onClick={() => void run(list.more)}>
                  {texts.more}
                </button>
              </p>
            )}
          </>
        )
      }
    </Loaded>
  );
}
