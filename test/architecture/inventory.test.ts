import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe("the README's map", () => {
  it.each([...globSync('lib/*').sort(), 'functions', 'bin', 'bench'])('names %s', (folder) => {
    const name = folder.replace('lib/', '');
    // By its path, or on a line of its own below `lib/`.
    expect(readFileSync('README.md', 'utf8')).toMatch(new RegExp(`\\b${folder}\\b|^[\\s\`|*-]*${name}/`, 'm'));
  });
});
