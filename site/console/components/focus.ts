/** An element that had the focus, and its ancestors from the innermost to the console's root. */
interface FocusTarget {
  element: HTMLElement;
  name: string;
  around: readonly HTMLElement[];
}

let root: HTMLElement | undefined;
let last: FocusTarget | undefined;

/**
 * Moves the focus to the nearest remaining element when the focused element disappears from the page. Browsers would
 * move it to the start of the page, and users of a keyboard or screen reader would lose their position. A view may also
 * set the focus itself.
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
    // Wait until the effects of the render have run, because an effect may move the focus.
    requestAnimationFrame(() => setTimeout(look));
  });
  seen.observe(within, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'open'] });
}

/**
 * The element that opened each dialog. Browsers do not return the focus to this element if the view removes the dialog
 * from the page.
 */
const openers = new WeakMap<HTMLElement, FocusTarget>();

export function rememberOpener(dialog: HTMLElement): void {
  if (last !== undefined) openers.set(dialog, last);
}

/**
 * Returns true when no visible element has the focus. Until the next paint, browsers still report a hidden element as
 * active.
 */
function hasNoFocus(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || !isThere(activeElement as HTMLElement);
}

/**
 * Focuses the remembered element, or the element that replaced it. If neither exists, focuses an ancestor or the
 * heading of that ancestor.
 */
function returnFocus(target: FocusTarget): void {
  if (takesFocus(target.element)) return;
  for (const outer of target.around) {
    const opener = isThere(outer) ? undefined : openers.get(outer);
    if (opener !== undefined) {
      returnFocus(opener);
      return;
    }
    if (isThere(outer) && nearestIn(outer, target).some(takesFocus)) return;
  }
}

function nearestIn(outer: HTMLElement, target: FocusTarget): HTMLElement[] {
  const find = (selector: string) => [...outer.querySelectorAll<HTMLElement>(selector)];
  const sameName = find(target.element.tagName).filter((each) => nameOf(each) === target.name);
  const title = document.getElementById(outer.getAttribute('aria-labelledby') ?? '');
  return [
    // If several elements have the remembered name, none of them gets the focus, because the replacement is ambiguous.
    ...(sameName.length === 1 ? sameName : []),
    ...(outer.tabIndex >= 0 ? [outer] : []),
    ...find(':scope>summary'),
    ...(title === null ? [] : [title]),
    // If the ancestor is the console's root, use the heading of the view.
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

/** Returns the element's accessible name. */
function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label') ?? (element as Partial<HTMLInputElement>).labels?.[0]?.textContent;
  return `${label ?? element.textContent}`.trim();
}
