import axe from 'axe-core';

/**
 * Returns the violations of WCAG 2.2 AA and best practices that axe finds: the rule and the elements. Also returns the
 * buttons that have the browser's own style, because the page has no rules for them. The Content-Security-Policy blocks
 * script tags, so the debugger injects axe.
 */
export async function violations(page: { evaluate: (script: string) => Promise<unknown> }): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${axe.source};undefined`);
  // Without these options, axe describes every element that passes a rule, which takes most of its time.
  const options = `{ resultTypes: ['violations'], selectors: false }`;
  const found = `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
  const unstyled = `[...document.querySelectorAll('button')].filter((each) => each.checkVisibility() && getComputedStyle(each).borderTopStyle === 'outset').map((each) => 'unstyled button: ' + each.outerHTML)`;
  return [...((await page.evaluate(found)) as string[]), ...((await page.evaluate(unstyled)) as string[])];
}
