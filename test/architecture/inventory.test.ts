import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

describe('the map of the architecture', () => {
  it.each([...globSync('lib/*').sort(), 'functions', 'bin', 'bench', 'site'])('names %s', (folder) => {
    const name = folder.replace('lib/', '');
    // By its path, or on a line of its own below `lib/`.
    expect(readFileSync('ARCHITECTURE.md', 'utf8')).toMatch(new RegExp(`\\b${folder}\\b|^[\\s\`|*-]*${name}/`, 'm'));
  });
});

describe('the front door', () => {
  it.each([
    ['README.md', 150],
    ['ARCHITECTURE.md', 200],
  ])('%s has at most %i lines', (page, linesMax) => {
    expect(readFileSync(page, 'utf8').split('\n').length).toBeLessThanOrEqual(linesMax);
  });

  it('has an index that names every document', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const named = globSync('docs/{concepts,clients,operating,contributing}/*.md').filter(
      (page) => !index.includes(`(${path.relative('docs', page)})`),
    );
    expect(named).toEqual([]);
  });
});

describe('the pages of decisions', () => {
  const pages = globSync('docs/decisions/*.md').sort();
  const rows = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^\| (.+) \| `([^`]+)`(?: "([^"]*)")? \|$/gm)].map(
      ([, decision = '', file = '', title = '']) => ({ page, decision, file, title }),
    ),
  );

  it('are all in the index', () => {
    const index = readFileSync('docs/decisions/README.md', 'utf8');
    expect(pages.map((page) => path.basename(page)).filter((page) => !index.includes(`(${page})`))).toEqual([
      'README.md',
    ]);
  });

  it('hold rows alone that name a test', () => {
    const lines = pages.flatMap((page) =>
      readFileSync(page, 'utf8')
        .split('\n')
        .filter((line) => /^\| (?!decision |page |\[)/.test(line)),
    );
    expect(lines.length).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(100);
  });

  it.each(rows)('$page: "$decision" is pinned by a test that is there', ({ file, title }) => {
    expect(readFileSync(`test/${file}`, 'utf8')).toContain(title);
  });
});
