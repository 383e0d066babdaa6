import { signal } from '@preact/signals';
import { consolePath } from '../../lib/pages/site/console-configuration.ts';
import { hasUnsaved, leave } from './unsaved.ts';

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

/**
 * The position of the current entry in this tab's history. The difference between two positions is the number of steps
 * that Back or Forward goes.
 */
let entry = entryOf(history.state) ?? 0;

function entryOf(state: unknown): number | undefined {
  const { entry } = (state ?? {}) as { entry?: unknown };
  return typeof entry === 'number' ? entry : undefined;
}

/**
 * Shows another view without asking about unsaved input. To ask first, call `leave`. `replace` removes the current path
 * from the history.
 */
export function goTo(path: string, { replace = false }: { replace?: boolean } = {}): void {
  if (!replace) entry += 1;
  history[replace ? 'replaceState' : 'pushState']({ entry }, '', hrefOf(path));
  currentLocation.value = readLocation();
}

/**
 * Handles clicks on console links, Back, and Forward without a page load. If the user would lose unsaved input, asks
 * first.
 */
export function followLinks(): void {
  history.replaceState({ entry }, '');
  /** The question about unsaved input. It runs after the page has undone a Back or Forward. */
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
      // The browser added this history entry itself, for a link within the page such as the skip link.
      history.replaceState({ entry: to }, '');
      return arrive();
    }
    if (by === 0 && afterReturn !== undefined) {
      afterReturn();
      afterReturn = undefined;
      return;
    }
    if (by === 0 || !hasUnsaved() || readLocation().path === currentLocation.value.path) return arrive();
    // The browser has already changed the URL. Return to the entry of the form, and ask the user there. Wait until the
    // return has ended before asking, because `history.go` counts from the browser's current entry.
    afterReturn = () => leave(() => history.go(by));
    history.go(-by);
  });
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const isInConsole = link.origin === location.origin && `${link.pathname}/`.startsWith(`${consolePath}/`);
    // Let the browser handle links within the page.
    if (!isInConsole || link.hash !== '') return;
    event.preventDefault();
    const go = () => goTo(link.pathname.slice(consolePath.length) + link.search || '/');
    // A link that changes only the query keeps the view and its unsaved input, so the router does not ask.
    if (link.pathname === location.pathname) go();
    else leave(go);
  });
}
