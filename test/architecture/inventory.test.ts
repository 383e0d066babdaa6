import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe("the README's map", () => {
  it.each([...globSync('lib/*').sort(), 'functions', 'bin', 'bench'])('names %s', (folder) => {
    const name = folder.replace('lib/', '');
    // By its path, or on a line of its own below `lib/`.
    expect(readFileSync('README.md', 'utf8')).toMatch(new RegExp(`\\b${folder}\\b|^[\\s\`|*-]*${name}/`, 'm'));
  });
});

describe("the README's decisions", () => {
  const rows = [...readFileSync('README.md', 'utf8').matchAll(/^\| (\d+) \| .*\| `([^`]+)`(?: "([^"]*)")? \|$/gm)];

  it('are numbered without a gap', () => {
    expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
    expect(rows.length).toBeGreaterThan(40);
  });

  it.each(rows.map(([, number, file, title]) => ({ number, file, title })))(
    '$number is pinned by a test that is there',
    ({ file, title }) => {
      expect(readFileSync(`test/${file}`, 'utf8')).toContain(title ?? '');
    },
  );
});
