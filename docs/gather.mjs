import { cpSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Copies the Markdown of the repository and its pictures into `.site`, in the same places to each other: the generator
 * needs them below the folder of its own packages.
 */
const root = path.resolve(import.meta.dirname, '..');
const site = path.join(import.meta.dirname, '.site');
rmSync(site, { recursive: true, force: true });
const isOurs = (file) => !/(?:^|\/)(?:node_modules|\.site|\.vitepress)(?:\/|$)/.test(file);
for (const file of globSync(['*.md', 'docs/*.md', 'docs/*/*.md', 'docs/pictures/*'], { cwd: root }).filter(isOurs))
  cpSync(path.join(root, file), path.join(site, file));
