import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

interface BoundedProps<Item> {
  items: readonly Item[];
  /** The number of items that are shown before the user opens the rest. */
  max: number;
  /** The name of the items in the plural, for the button that shows all of them. */
  of: string;
  children: (shown: readonly Item[]) => ComponentChildren;
}

/** Shows the first loaded items, and a button that shows all of them. */
export function Bounded<Item>({ items, max, of, children }: BoundedProps<Item>) {
  const [isAll, setAll] = useState(false);
  return (
    <>
      {children(isAll ? items : items.slice(0, max))}
      {!isAll && items.length > max && (
        <p>
          <Button kind="plain" label={`Show all ${items.length} ${of}`} onClick={() => setAll(true)} />
        </p>
      )}
    </>
  );
}
