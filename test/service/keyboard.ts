import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { focusedName } from './focused.ts';
import { untilQuiet } from './signed-in-page.ts';

/** More stops than any view has. */
const stopsMax = 80;

/** Somebody who has no pointer. */
export interface Keyboard {
  /** Tab, or Shift and Tab, until what is named has the focus. Throws where it is not reached. */
  to(name: string | RegExp): Promise<void>;
  back(name: string | RegExp): Promise<void>;
  /** Waits until what is named has the focus by itself, as the heading of a view that comes, and the view is whole. */
  lands(name: string | RegExp): Promise<void>;
  /** Presses one key after the other, as `Enter`, or `Tab`. */
  press(...keys: string[]): Promise<void>;
  /** In place of what a field held. */
  type(text: string): Promise<void>;
  /** What had the focus so far without anybody seeing that it had. */
  unseen: readonly string[];
}

export function keyboardOf(page: Page): Keyboard {
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
  return {
    unseen,
    to: (name) => go('Tab', name),
    back: (name) => go('Shift+Tab', name),
    async lands(name) {
      const focused = expect.poll(() => focusedName(page), { message: 'what has the focus' });
      await (typeof name === 'string' ? focused.toBe(name) : focused.toMatch(name));
      // What still comes is no stop yet, and moves those that are there.
      await untilQuiet(page);
    },
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    async type(text) {
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
    },
  };
}

/** Why nobody sees that something has the focus: of half a second of frames, in which a view may still come to rest. */
function faultOfFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const fault = (): string | undefined => {
      const focused = document.activeElement;
      // The browser's own bar has it.
      if (focused === null || focused === document.body || focused === document.documentElement) return undefined;
      // A heading is read out when its view comes, and takes no keys.
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
    // It is scrolled into sight with the next frame.
    for (let frame = 0; frame < 2; frame += 1) await drawn();
    for (let frame = 0; frame < 30 && fault() !== undefined; frame += 1) await drawn();
    return fault();
  });
}
