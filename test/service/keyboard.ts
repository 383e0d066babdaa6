import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { focusedName } from './focused.ts';
import { untilQuiet } from './signed-in-page.ts';

/** The maximum number of Tab presses, which is more than any view needs. */
const stopsMax = 80;

/** A user without a pointer. */
export type Keyboard = ReturnType<typeof keyboardOf>;

export function keyboardOf(page: Page) {
  /** Elements that have had the focus without a visible focus ring. */
  const unseen: string[] = [];
  const go = async (key: string, name: string | RegExp) => {
    const met: string[] = [];
    for (let stop = 0; stop < stopsMax; stop += 1) {
      await page.keyboard.press(key);
      const here = await focusedName(page);
      const fault = await faultOfFocus(page);
      if (fault !== undefined) unseen.push(`${here}, on the way to ${name}: ${fault}`);
      if (typeof name === 'string' ? here === name : name.test(here)) return;
      met.push(here);
    }
    throw new Error(`${key} does not reach ${name}, only ${[...new Set(met)].join(' | ')}`);
  };
  /** Waits until the page has loaded and has moved the focus to the named element, such as the heading of a view. */
  const lands = async (name: string | RegExp) => {
    const focused = expect.poll(() => focusedName(page), { message: 'what has the focus' });
    await (typeof name === 'string' ? focused.toBe(name) : focused.toMatch(name));
    // Wait for content that is still loading, because it would add tab stops.
    await untilQuiet(page);
  };
  /** Replaces the text of the focused field. */
  const type = async (text: string) => {
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(text);
  };
  return {
    unseen,
    lands,
    type,
    /** Presses Tab until the named element has the focus, and then a key. Throws if the focus does not reach it. */
    async to(name: string | RegExp, key?: 'Enter' | 'Space' | 'Escape' | 'ArrowDown') {
      await go('Tab', name);
      if (key !== undefined) await page.keyboard.press(key);
    },
    /**
     * Presses Shift and Tab until the named link has the focus, and opens it. Waits for the heading of its view, if one
     * is given.
     */
    async open(link: string, heading: string | null = link) {
      await go('Shift+Tab', link);
      await page.keyboard.press('Enter');
      if (heading !== null) await lands(heading);
    },
    /** Replaces the text of the next field with this name, and then presses a key. */
    async fill(name: string | RegExp, text: string, key?: 'Enter') {
      await go('Tab', name);
      await type(text);
      if (key !== undefined) await page.keyboard.press(key);
    },
  };
}

/**
 * Returns the reason why the focus is not visible, or undefined. Checks for half a second, because a view may still be
 * moving.
 */
function faultOfFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const fault = (): string | undefined => {
      const focused = document.activeElement;
      // The focus is in the browser's toolbar, so no element has it.
      if (focused === null || focused === document.body || focused === document.documentElement) return undefined;
      // A heading that gets the focus for screen readers accepts no keys, so it needs no focus ring.
      if ((focused as HTMLElement).tabIndex < 0) return undefined;
      const isMarked = (each: Element | null | undefined) => {
        if (!each) return false;
        const { outlineStyle, outlineWidth } = getComputedStyle(each);
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
      };
      if (!isMarked(focused) && !isMarked(focused.closest('label'))) return 'has no outline';
      const shown = (focused.closest('label') ?? focused).getBoundingClientRect();
      const [x, y] = [shown.left + shown.width / 2, shown.top + Math.min(shown.height / 2, 20)];
      const above = document.elementFromPoint(x, y);
      if (above === null) return 'is outside of the window';
      const isItself = above.contains(focused) || focused.contains(above) || focused.closest('label')?.contains(above);
      return isItself ? undefined : `lies below ${above.outerHTML.slice(0, 80)}`;
    };
    const drawn = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // The browser scrolls the element into view in the next frame.
    for (let frame = 0; frame < 2; frame += 1) await drawn();
    for (let frame = 0; frame < 30 && fault() !== undefined; frame += 1) await drawn();
    return fault();
  });
}
