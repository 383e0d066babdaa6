import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

describe("the README's map", () => {
  it.each([...globSync('lib/*').sort(), 'functions', 'bin', 'bench'])('names %s', (folder) => {
    const name = folder.replace('lib/', '');
    // By its path, or on a line of its own below `lib/`.
    expect(readFileSync('README.md', 'utf8')).toMatch(new RegExp(`\\b${folder}\\b|^[\\s\`|*-]*${name}/`, 'm'));
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
