import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

const site = path.resolve(import.meta.dirname, '../.site');
const sections = {
  concepts: 'Concepts',
  clients: 'Clients',
  operating: 'Operating',
  decisions: 'Decisions',
  contributing: 'Contributing',
};

/** The pages of a folder, by their first heading. */
function pagesOf(folder: string) {
  return globSync(`docs/${folder}/*.md`, { cwd: site })
    .map((file) => ({ text: titleOf(file), link: `/${file.replace(/(?:README)?\.md$/, '')}` }))
    .sort((a, b) => a.text.localeCompare(b.text));
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readFileSync(path.join(site, file), 'utf8'))?.[1] ?? file;
}

/** Builds the Markdown of the repository. Its links work in both, and a broken one fails the build. */
export default defineConfig({
  srcDir: '.site',
  rewrites: {
    'README.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'docs/clients/README.md': 'docs/clients/index.md',
    'docs/decisions/README.md': 'docs/decisions/index.md',
  },
  title: 'Sluice',
  description: 'Accounts, repositories and machine access for open data',
  cleanUrls: true,
  // The license, scripts and code are not pages. URLs of one machine answer only while the service runs.
  ignoreDeadLinks: [/LICENSE/, /\.py$/, /\/(?:lib|test|functions|bench|bin)\//, /^https?:\/\/127\.0\.0\.1/],
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Documents', link: '/docs/' },
      { text: 'Architecture', link: '/ARCHITECTURE' },
    ],
    sidebar: [
      {
        text: 'Overview',
        items: [
          { text: 'Sluice', link: '/' },
          { text: 'All documents', link: '/docs/' },
          { text: 'Architecture', link: '/ARCHITECTURE' },
        ],
      },
      ...Object.entries(sections).map(([folder, text]) => ({
        text,
        collapsed: folder !== 'clients',
        items: pagesOf(folder),
      })),
    ],
  },
});
