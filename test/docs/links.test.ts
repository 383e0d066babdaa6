import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const pages = globSync(['*.md', 'docs/**/*.md'], { exclude: ['**/node_modules/**', 'docs/.site/**'] }).sort();

it.each(pages)('the link targets of %s exist, with their headings', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
  for (const [link, file = '', heading] of links) {
    const target = file === '' ? page : path.join(path.dirname(page), file);
    expect(existsSync(target), `${link} of ${page}`).toBe(true);
    if (heading !== undefined) expect(headingsOf(target), `${link} of ${page}`).toContain(heading);
  }
});

/** Returns the anchors that GitHub generates for headings. */
function headingsOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
