import { signal } from '@preact/signals';

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

/** Shows another view. `replace` where going back would lead to what is no more. */
export function goTo(path: string, { replace = false }: { replace?: boolean } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', hrefOf(path));
  place.value = placeNow();
}

/** Follows links within the console without loading the page anew, and the browser's own back and forward. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = placeNow();
  });
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const isOurs = link.origin === location.origin && `${link.pathname}/`.startsWith(`${consolePath}/`);
    if (!isOurs) return;
    event.preventDefault();
    goTo(link.pathname.slice(consolePath.length) + link.search || '/');
  });
}
