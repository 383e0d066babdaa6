import axe from 'axe-core';

/**
 * What axe finds in what a page shows, of WCAG 2.2 AA and good practice: the rule, and the elements that break it. The
 * policy of the pages lets in no script by a tag: axe comes past it, by the debugger.
 */
export async function violations(page: { evaluate: (script: string) => Promise<unknown> }): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${axe.source};undefined`);
  const found = `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
  return (await page.evaluate(found)) as string[];
}
