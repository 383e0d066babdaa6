/** What had the focus, and what it stood in: from the inside out, to the console itself. */
interface Place {
  element: HTMLElement;
  name: string;
  around: readonly HTMLElement[];
}

let root: HTMLElement | undefined;
let last: Place | undefined;

/**
 * Whoever works by keyboard, or hears the page, is never left at its beginning: where what had the focus is gone, the focus
 * goes to what is nearest to it. Views that know better move it themselves.
 */
export function keepFocus(within: HTMLElement): void {
  root = within;
  within.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement) last = { element: target, name: nameOf(target), around: around(target) };
  });
  let isDue = false;
  const look = () => {
    isDue = false;
    if (last !== undefined && !isThere(last.element) && hasNoFocus()) returnFocus(last);
  };
  const seen = new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    // After the effects of what was drawn, which may move it.
    requestAnimationFrame(() => setTimeout(look));
  });
  seen.observe(within, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'open'] });
}

/** From where each dialog was opened: closed by the view, the browser gives the focus to nobody. */
const openers = new WeakMap<HTMLElement, Place>();

export function rememberOpener(dialog: HTMLElement): void {
  if (last !== undefined) openers.set(dialog, last);
}

/** What has it may be hidden already, which the browser sees with its next drawing. */
function hasNoFocus(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || !isThere(activeElement as HTMLElement);
}

/** To what had it or was drawn in its place, else to what it stood in or the heading of that. */
function returnFocus(place: Place): void {
  if (takesFocus(place.element)) return;
  for (const outer of place.around) {
    const opener = isThere(outer) ? undefined : openers.get(outer);
    if (opener !== undefined) {
      returnFocus(opener);
      return;
    }
    if (isThere(outer) && nearestIn(outer, place).some(takesFocus)) return;
  }
}

function nearestIn(outer: HTMLElement, place: Place): HTMLElement[] {
  const find = (selector: string) => [...outer.querySelectorAll<HTMLElement>(selector)];
  const sameName = find(place.element.tagName).filter((each) => nameOf(each) === place.name);
  const title = document.getElementById(outer.getAttribute('aria-labelledby') ?? '');
  return [
    // Of several, nobody knows which.
    ...(sameName.length === 1 ? sameName : []),
    ...(outer.tabIndex >= 0 ? [outer] : []),
    ...find(':scope>summary'),
    ...(title === null ? [] : [title]),
    // Of the whole view, the heading that it begins with.
    ...(outer === root ? [...find('h2.view'), ...find('h1')] : find(headings)),
  ];
}

const headings = ':scope>:is(h2,h3,h4)';

function takesFocus(element: HTMLElement): boolean {
  if (!isThere(element)) return false;
  if (/^H\d$/.test(element.tagName)) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

function isThere(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility() && !element.matches(':disabled');
}

function around(element: HTMLElement): HTMLElement[] {
  const outer = element.parentElement;
  return outer === null || element === root ? [] : [outer, ...around(outer)];
}

/** As people know it. */
function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label') ?? (element as Partial<HTMLInputElement>).labels?.[0]?.textContent;
  return `${label ?? element.textContent}`.trim();
}
