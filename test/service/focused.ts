import type { Page } from 'playwright-core';

/** Returns the label, text, or title of the focused element, or an empty text when no element has the focus. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused === document.documentElement) return '';
    const titled = document.getElementById(focused.getAttribute('aria-labelledby') ?? '')?.textContent;
    const labelled = (focused as Partial<HTMLInputElement>).labels?.[0]?.textContent;
    const name = focused.getAttribute('aria-label') ?? titled ?? labelled ?? focused.textContent ?? '';
    return name.replaceAll(/\s+/g, ' ').trim();
  });
}
