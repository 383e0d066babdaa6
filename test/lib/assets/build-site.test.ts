import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildSite, withImports } from '../../../lib/assets/build-site.ts';
import { defaultSite } from '../../../lib/domain/site.ts';
import { entryOf } from '../../../lib/domain/site-assets.ts';
import { consolePage } from '../../../lib/pages/site/console.tsx';

const site = await buildSite();

/** Returns the compressed size of the files that a browser loads before it shows an entry. */
function firstViewBytes(name: string): number {
  const { script, preloads } = entryOf(site.entries, name);
  return [script, ...preloads].reduce((sum, file) => sum + gzipSync(site.files.get(file) ?? '').length, 0);
}

function textOf(file: string): string {
  return new TextDecoder().decode(site.files.get(file));
}

describe('the browser code', () => {
  it('has file names with a hash of the content, equal in each build', async () => {
    for (const name of site.files.keys()) expect(name).toMatch(/^[\w-]+-[A-Z0-9]{8}\.js$/);
    expect([...(await buildSite()).files.keys()]).toEqual([...site.files.keys()]);
  });

  it('names all files that an entry loads at once', () => {
    for (const { script, preloads } of Object.values(site.entries)) {
      for (const name of [script, ...preloads]) expect(site.files.has(name)).toBe(true);
    }
  });

  it('shows the first view of the console with at most 40 KB of document and scripts, compressed', () => {
    const shown = { ...defaultSite, url: 'https://sluice.example', entries: site.entries };
    const { html } = consolePage({ site: shown, dataUrl: 'https://data.sluice.example', signIn: undefined });
    const bytes = firstViewBytes('console') + gzipSync(html).length;
    expect(bytes).toBeGreaterThan(20 * 1024);
    expect(bytes).toBeLessThanOrEqual(40 * 1024);
  });

  it('loads at most 5 KB of script on each public page, compressed', () => {
    expect(firstViewBytes('page')).toBeGreaterThan(100);
    expect(firstViewBytes('page')).toBeLessThanOrEqual(5 * 1024);
  });

  it('loads the upload code only with the files view, in at most 32 KB, compressed', () => {
    const holders = [...site.files].filter(([, contents]) =>
      new TextDecoder().decode(contents).includes('webkitdirectory'),
    );
    expect(holders).toHaveLength(1);
    for (const [name, contents] of holders) {
      const { script, preloads } = entryOf(site.entries, 'console');
      expect([script, ...preloads]).not.toContain(name);
      expect(gzipSync(contents).length).toBeLessThanOrEqual(32 * 1024);
    }
  });

  it('loads the code that renders private data only for signed-in users', () => {
    expect(firstViewBytes('member-page')).toBeLessThanOrEqual(3 * 1024);
  });

  it.each(['member-page', 'link-page'])(
    'renders private data on %s with at most 100 KB of scripts, compressed',
    (page) => {
      const [renderer = ''] =
        /import\("\.\/([^"]+)"\)/.exec(textOf(entryOf(site.entries, page).script))?.slice(1) ?? [];
      const bytes = [...withImports(site.files, renderer)].reduce(
        (sum, file) => sum + gzipSync(textOf(file)).length,
        0,
      );
      expect(bytes).toBeGreaterThan(50 * 1024);
      expect(bytes).toBeLessThanOrEqual(100 * 1024);
    },
  );

  it('loads the code of maps and the outline of the land only when a map is shown', () => {
    const [map = ''] = [...site.files.keys()].filter((name) => name.startsWith('map-view-'));
    const { script, preloads } = entryOf(site.entries, 'previews');
    expect([script, ...preloads]).not.toContain(map);
    expect(gzipSync(textOf(map)).length).toBeLessThanOrEqual(10 * 1024);
    const lands = [...site.files.keys()].filter((name) => name.startsWith('land-'));
    expect(lands).toHaveLength(2);
    for (const land of lands) expect(textOf(map)).toContain(`import("./${land}")`);
  });

  it('has one file for each view of the console, loaded when the view opens', async () => {
    const routes = await readFile('site/console/routes.ts', 'utf8');
    const imports = [...routes.matchAll(/import\('([\w./-]+)\.tsx'\)/g)].map(([, file = '']) => file);
    expect(imports.length).toBe(routes.match(/\btitle: '/g)?.length);
    // Skip repeated views, because several routes can have the same view.
    const views = [...new Set(imports)].map((file) => file.split('/').at(-1));
    const { script, preloads } = entryOf(site.entries, 'console');
    const atFirst = [script, ...preloads].map((name) => new TextDecoder().decode(site.files.get(name))).join();
    for (const view of new Set(views)) {
      const files = [...site.files.keys()].filter((name) => name.replace(/-[A-Z0-9]{8}\.js$/, '') === view);
      // Some views have their own folder, in which their file is called `view`.
      expect(files, view).toHaveLength(views.filter((each) => each === view).length);
      for (const file of files) {
        expect(preloads).not.toContain(file);
        expect(atFirst).toContain(`import("./${file}")`);
      }
    }
  });

  it('contains no Node modules and no code from text', () => {
    for (const [name, contents] of site.files) {
      const text = new TextDecoder().decode(contents);
      expect(text, name).not.toMatch(/\bnode:|\beval\(|new Function\(|WebAssembly/);
    }
  });
});
