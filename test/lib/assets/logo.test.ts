import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readLogo } from '../../../lib/assets/logo.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { problemPage } from '../../../lib/pages/site/problem.tsx';
import { shownSite } from '../pages/site/shown.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'sluice-logo-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = path.join(directory, 'logo');
const logoOf = (content: string | Uint8Array) => {
  writeFileSync(file, content);
  return readLogo(file);
};
const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inside}</svg>`;
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);

test.each([
  ['svg', svg('<defs><g id="a"/></defs><use href="#a"/><path fill="url(#a)" style="stroke:red" d="M0 0"/>')],
  ['svg', `<?xml version="1.0"?>\n<!-- made by hand -->\n${svg('')}`],
  ['png', png],
  ['webp', 'RIFFxxxxWEBPVP8 '],
])('the content of a logo decides its type and its name: %s', (kind, content) => {
  expect(logoOf(content).name).toMatch(new RegExp(`^logo-[0-9a-f]{8}\\.${kind}$`));
});

test.each([
  ['is too large', Buffer.concat([png, Buffer.alloc(limits.logoBytesMax)])],
  ['is no picture', '<html><svg></svg></html>'],
  ['is another picture', 'GIF89a'],
  ['holds a script', svg('<script>alert(1)</script>')],
  ['holds a script of another name space', svg('<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>')],
  ['holds a handler', svg('<g onclick="alert(1)"/>')],
  ['holds HTML', svg('<foreignObject><p/></foreignObject>')],
  ['leads elsewhere', svg('<a href="javascript:alert(1)"><path d=""/></a>')],
  ['loads something', svg('<image href="https://example.org/a.png"/>')],
  ['loads something by its style', svg('<style>@import "https://example.org"</style>')],
  ['changes a link', svg('<animate attributeName="href" to="javascript:alert(1)"/>')],
  ['makes words of its own', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`],
])('a file as the logo is refused when it %s', (_, content) => {
  expect(() => logoOf(content)).toThrow(/^The logo must be/);
});

const dataUrl = 'https://data.example.org';

test('pages show the logo as an image, or the default mark without a logo', () => {
  expect(problemPage(404, { ...shownSite, logoFile: 'logo-00000000.svg' }, dataUrl).html).toContain(
    '<img class="logo" src="/-/assets/logo-00000000.svg"',
  );
  expect(problemPage(404, shownSite, dataUrl).html).not.toContain('<img');
});
