import { signal } from '@preact/signals';
import { hasUnsaved, leave } from './unsaved.ts';

/** Of every view of the console; its own URLs stand below it. */
export const consolePath = '/-/console';

export interface Place {
  /** Below `consolePath`, begins with a slash. */
  path: string;
  query: URLSearchParams;
}

function placeNow(): Place {
  const { pathname, search } = globalThis.location;
  const below = pathname.startsWith(consolePath) ? pathname.slice(consolePath.length) : '';
  return { path: below.replace(/\/$/, '') || '/', query: new URLSearchParams(search) };
}

/** Where the person is. */
export const place = signal<Place>(placeNow());

/** @param path below `consolePath` */
export function hrefOf(path: string): string {
  return path === '/' ? consolePath : consolePath + path;
}

/** Of the entry of the browser's history that is shown, among those of this tab: tells how far Back or Forward went. */
let entry = entryOf(history.state) ?? 0;

function entryOf(state: unknown): number | undefined {
  const { entry } = (state ?? {}) as { entry?: unknown };
  return typeof entry === 'number' ? entry : undefined;
}

/** Shows another view, whatever is unsaved: `leave` asks. `replace` where going back would lead to what is no more. */
export function goTo(path: string, { replace = false }: { replace?: boolean } = {}): void {
  if (!replace) entry += 1;
  history[replace ? 'replaceState' : 'pushState']({ entry }, '', hrefOf(path));
  place.value = placeNow();
}

/** Follows links within the console without loading the page anew, and the browser's own back and forward; each asks first where a form would lose what was typed. */
export function followLinks(): void {
  history.replaceState({ entry }, '');
  addEventListener('popstate', ({ state }) => {
    const known = entryOf(state);
    const to = known ?? entry + 1;
    const by = to - entry;
    const arrive = () => {
      entry = to;
      place.value = placeNow();
    };
    if (known === undefined) {
      // A link to a place within the page, as the one that skips to the content, has made an entry of its own.
      history.replaceState({ entry: to }, '');
      return arrive();
    }
    if (by === 0 || !hasUnsaved() || placeNow().path === place.value.path) return arrive();
    // The browser is there already: back to where the form is, until the person has answered.
    history.go(-by);
    leave(() => history.go(by));
  });
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const isOurs = link.origin === location.origin && `${link.pathname}/`.startsWith(`${consolePath}/`);
    // To a place within the page the browser leads by itself.
    if (!isOurs || link.hash !== '') return;
    event.preventDefault();
    const go = () => goTo(link.pathname.slice(consolePath.length) + link.search || '/');
    // Another query shows the same view with what was typed.
    if (link.pathname === location.pathname) go();
    else leave(go);
  });
}
