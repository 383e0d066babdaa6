import { cpSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Copies the Markdown and the pictures of the repository into `.site`, with the same relative paths. VitePress needs them
 * below the folder of its own packages. Scripts that a page links to are served as they are.
 */
const root = path.resolve(import.meta.dirname, '..');
const site = path.join(import.meta.dirname, '.site');
rmSync(site, { recursive: true, force: true });
const isSource = (file) => !/(?:^|\/)(?:node_modules|\.site|\.vitepress)(?:\/|$)/.test(file);
for (const file of globSync(['*.md', 'docs/**/*.md', 'docs/pictures/*'], { cwd: root }).filter(isSource))
  cpSync(path.join(root, file), path.join(site, file));
for (const file of globSync('docs/clients/*.py', { cwd: root }))
  cpSync(path.join(root, file), path.join(site, 'public', file));
