import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

describe('the map of the architecture', () => {
  it.each([...globSync('lib/*').sort(), 'functions', 'bin', 'bench', 'site'])('names %s', (folder) => {
    const name = folder.replace('lib/', '');
    // The map names a folder by its path, or by its name at the start of a line.
    expect(readFileSync('ARCHITECTURE.md', 'utf8')).toMatch(new RegExp(`\\b${folder}\\b|^[\\s\`|*-]*${name}/`, 'm'));
  });
});

describe('the entry documents', () => {
  it.each([
    ['README.md', 150],
    ['ARCHITECTURE.md', 200],
  ])('include %s with at most %i lines', (page, linesMax) => {
    expect(readFileSync(page, 'utf8').split('\n').length).toBeLessThanOrEqual(linesMax);
  });

  it('have an index that names every document', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const named = globSync('docs/{concepts,clients,operating,contributing}/*.md').filter(
      (page) => !index.includes(`(${path.relative('docs', page)})`),
    );
    expect(named).toEqual([]);
  });
});
