import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = 'docs/decisions';
const index = readFileSync(`${folder}/README.md`, 'utf8');
const pages = globSync(`${folder}/*.md`)
  .filter((page) => path.basename(page) !== 'README.md')
  .sort();

/** One sentence of context, the decision, the consequence, and then the tests: `file` "words of a title". */
const form =
  /^\n- \*\*Context:\*\* ((?:(?![.!?] [A-Z]).)+)\n- \*\*Decision:\*\* (.+)\n- \*\*Consequence:\*\* (.+)\n((?:- \*\*Test:\*\* `[^`]+`(?: "[^"]*")?\n)+)$/;

const decisions = pages.flatMap((page) => {
  // Headings of groups also end a section, but belong to no section.
  const [, ...sections] = `${readFileSync(page, 'utf8')}\n`.replace(/\n## .*\n/g, '\n').split('\n### ');
  return sections.map((section) => {
    const end = section.indexOf('\n');
    // A long item continues on further lines, indented by two spaces.
    const text = `${section.slice(end + 1).trimEnd()}\n`.replace(/\n {2}(?=\S)/g, ' ');
    const [, context = '', , , tests = ''] = form.exec(`\n${text.trimStart()}`) ?? [];
    return { page, title: section.slice(0, end), context, tests };
  });
});

const tests = decisions.flatMap(({ page, title, tests }) =>
  [...tests.matchAll(/`([^`]+)`(?: "([^"]*)")?/g)].map(([, file = '', words = '']) => ({ page, title, file, words })),
);

describe('the pages of decisions', () => {
  it('are all in the index', () => {
    expect(pages.map((page) => path.basename(page)).filter((page) => !index.includes(`(${page})`))).toEqual([]);
  });

  it('contain decisions of the four parts only', () => {
    const malformed = decisions.filter(({ tests }) => tests === '');
    expect(malformed.map(({ page, title }) => `${page}: ${title}`)).toEqual([]);
    expect(decisions.length).toBeGreaterThan(300);
    for (const page of pages) expect(readFileSync(page, 'utf8')).not.toMatch(/^\|/m);
  });

  it('give each decision a unique title', () => {
    const titles = decisions.map(({ page, title }) => `${page}: ${title}`);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  });

  it.each(tests)('$page: the test of "$title" exists: $file', ({ file, words }) => {
    expect(readFileSync(`test/${file}`, 'utf8')).toContain(words);
  });
});
