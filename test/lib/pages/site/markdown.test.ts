import { describe, expect, test } from 'vitest';
import { pathIn, renderMarkdown, renderMarkdownWithHeadings } from '../../../../lib/pages/site/markdown.ts';

const repository = { account_id: 'tides', repository_id: 'gauges' };
const render = (source: string, folder = 'a/') =>
  renderMarkdown(source, { repository, folder, dataProxyUrl: 'https://data.example' })?.trim();

describe('a README', () => {
  test.each([
    ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
    ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
    ['[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
    ['[a](JaVaScRiPt:alert(1))', '<p>[a](JaVaScRiPt:alert(1))</p>'],
    ['[a](&#106;avascript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
    ['[a](data:text/html,x)', '<p>[a](data:text/html,x)</p>'],
    ['[a](vbscript:x)', '<p>[a](vbscript:x)</p>'],
    ['[a](//evil.example/x)', '<p>[a](//evil.example/x)</p>'],
    ['[a](../../../x)', '<p>[a](../../../x)</p>'],
    ['![a](data:image/svg+xml,x)', '<p>![a](data:image/svg+xml,x)</p>'],
  ])('shows %s as text', (source, shown) => {
    expect(render(source)).toBe(shown);
  });

  test.each([
    ['[a](https://example.org/)', '<a href="https://example.org/" rel="nofollow ugc noopener">a</a>'],
    ['[a](mailto:ada@example.org)', '<a href="mailto:ada@example.org" rel="nofollow ugc noopener">a</a>'],
    ['[a](b.csv)', '<a href="/tides/gauges/a/b.csv">a</a>'],
    ['[a](../b.csv#part)', '<a href="/tides/gauges/b.csv">a</a>'],
    ['[a](/c/d/)', '<a href="/tides/gauges/c/d/">a</a>'],
    ['[a](b%20"c.csv)', '<a href="/tides/gauges/a/b%20%22c.csv">a</a>'],
    ['[a](#part)', '<a href="#section-part">a</a>'],
  ])('renders the link %s as %s', (source, shown) => {
    expect(render(source)).toBe(`<p>${shown}</p>`);
  });

  test('shows only images of its repository', () => {
    expect(render('![a "b"](c d.png)'.replace(' d', '%20d'))).toBe(
      '<p><img src="https://data.example/tides/gauges/a/c%20d.png" alt="a &quot;b&quot;" loading="lazy"></p>',
    );
    expect(render('![a](https://evil.example/x.png)')).toBe(
      '<p><a href="https://evil.example/x.png" rel="nofollow ugc noopener">a</a></p>',
    );
  });

  test('begins one heading level below the page title', () => {
    expect(render('# a\n\n###### b')).toBe('<h2 id="section-a">a</h2>\n<h6 id="section-b">b</h6>');
  });

  test.each([
    ['# Tide gauges, 2026!', 'section-tide-gauges-2026'],
    ['## `levels.csv` & *more*', 'section-levelscsv--more'],
    ['# Über 日本', 'section-über-日本'],
    ['# main', 'section-main'],
  ])('gives the heading %s the ID %s, to which its own links lead', (source, id) => {
    expect(render(source)).toContain(` id="${id}">`);
    const [, words = ''] = /^section-(.*)$/.exec(id) ?? [];
    expect(render(`[a](#${encodeURI(words)})`)).toContain(`href="#${id}"`);
  });

  test('returns its headings, with a unique ID for each', () => {
    const setting = { repository, folder: '', dataProxyUrl: 'https://data.example' };
    expect(renderMarkdownWithHeadings('# a\n\n## a\n\n<b>\n===', setting)?.headings).toEqual([
      { id: 'section-a', text: 'a', level: 2 },
      { id: 'section-a-1', text: 'a', level: 3 },
      { id: 'section-b', text: '<b>', level: 2 },
    ]);
  });

  test('shows task lists', () => {
    const box = (isDone: boolean) =>
      `<input type="checkbox" disabled${isDone ? ' checked' : ''} aria-label="${isDone ? 'Done' : 'To do'}">`;
    expect(render('- [ ] a\n- [x] b')).toBe(`<ul>\n<li>${box(false)} a</li>\n<li>${box(true)} b</li>\n</ul>`);
    for (const text of ['[x] a', '- [y] a', '- [x]a', '- `[x] a`']) expect(render(text)).not.toContain('<input');
  });

  test('resolves no path outside its repository', () => {
    expect(pathIn('a/b/', '../c')).toBe('a/c');
    for (const [folder, link] of Object.entries({ 'a/': '../../c', '': '..' }))
      expect(pathIn(folder, link)).toBeUndefined();
    for (const link of ['%zz', '.']) expect(pathIn('', link)).toBeUndefined();
  });
});
