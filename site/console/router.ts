import { signal } from '@preact/signals';
import { hasUnsaved, leave } from './unsaved.ts';

/** The path prefix of all console views. */
export const consolePath = '/-/console';

interface ConsoleLocation {
  /** The path below `consolePath`. It begins with a slash. */
  path: string;
  query: URLSearchParams;
}

function readLocation(): ConsoleLocation {
  const { pathname, search } = globalThis.location;
  const below = pathname.startsWith(consolePath) ? pathname.slice(consolePath.length) : '';
  return { path: below.replace(/\/$/, '') || '/', query: new URLSearchParams(search) };
}

/** The current path and query. */
export const currentLocation = signal<ConsoleLocation>(readLocation());

/** @param path the path below `consolePath` */
export function hrefOf(path: string): string {
  return path === '/' ? consolePath : consolePath + path;
}

/** The position of the current entry in this tab's history. Two positions give the distance of a Back or Forward. */
let entry = entryOf(history.state) ?? 0;

function entryOf(state: unknown): number | undefined {
  const { entry } = (state ?? {}) as { entry?: unknown };
  return typeof entry === 'number' ? entry : undefined;
}

/** Shows another view. `leave` asks about unsaved input before. `replace` removes the current path from the history. */
export function goTo(path: string, { replace = false }: { replace?: boolean } = {}): void {
  if (!replace) entry += 1;
  history[replace ? 'replaceState' : 'pushState']({ entry }, '', hrefOf(path));
  currentLocation.value = readLocation();
}

/** Handles console links, Back, and Forward without a page load. Asks first if the user would lose unsaved input. */
export function followLinks(): void {
  history.replaceState({ entry }, '');
  /** The question that waits until Back or Forward is undone. */
  let afterReturn: (() => void) | undefined;
  addEventListener('popstate', ({ state }) => {
    const known = entryOf(state);
    const to = known ?? entry + 1;
    const by = to - entry;
    const arrive = () => {
      entry = to;
      currentLocation.value = readLocation();
    };
    if (known === undefined) {
      // A link within the page, such as the skip link, has added its own history entry.
      history.replaceState({ entry: to }, '');
      return arrive();
    }
    if (by === 0 && afterReturn !== undefined) {
      afterReturn();
      afterReturn = undefined;
      return;
    }
    if (by === 0 || !hasUnsaved() || readLocation().path === currentLocation.value.path) return arrive();
    // The browser has already changed the URL. Go back to the form until the user answers. The question waits for the
    // end of that navigation, because `history.go` counts from the entry at which the browser is.
    afterReturn = () => leave(() => history.go(by));
    history.go(-by);
  });
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const isInConsole = link.origin === location.origin && `${link.pathname}/`.startsWith(`${consolePath}/`);
    // The browser itself handles links within the page.
    if (!isInConsole || link.hash !== '') return;
    event.preventDefault();
    const go = () => goTo(link.pathname.slice(consolePath.length) + link.search || '/');
    // A change of the query alone keeps the view and its input.
    if (link.pathname === location.pathname) go();
    else leave(go);
  });
}
