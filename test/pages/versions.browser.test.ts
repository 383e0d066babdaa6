import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violations } from '../service/axe.ts';
import { installedBrowsers, type OpenBrowser, openBrowser } from '../service/browsers.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { versionsOf } from '../service/frozen-versions.ts';
import { seededService } from '../service/seeded-service.ts';

/** The pages of versions, with the real database engine and the S3 emulator. */

const service = await seededService();
const { createVersion, storageClient } = versionsOf(service);
const s3 = s3Client(service, await signIn(service, service.key));
afterAll(() => storageClient.destroy());

const [Bucket, gauges] = ['tide-institute', 'tide-gauges'];
const repository = `/${Bucket}/${gauges}`;
const versionsList = `/-/versions${repository}`;
const script = '<script>alert(1)</script>';

async function putAll(objects: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, Body] of Object.entries(objects)) {
    await s3.send(new PutObjectCommand({ Bucket, Key: `${gauges}/${key}`, Body }));
  }
}

await putAll({
  'README.md': '# Gauges\n\nRead the [table](data/levels.csv).',
  'data/levels.csv': 'level\n17\n',
  'data/removed.csv': 'level\n3\n',
  'stations.geojson': '{"type":"FeatureCollection","features":[]}',
});
await createVersion(gauges, '2026-07', { notes: `First release\n${script}` });
await s3.send(new DeleteObjectCommand({ Bucket, Key: `${gauges}/data/removed.csv` }));
await putAll({ 'data/levels.csv': 'level\n18\n19\n', 'data/added.csv': 'level\n1\n', [`data/${script}.csv`]: 'a\n' });
const doi = '10.5281/zenodo.1234567';
await createVersion(gauges, '2026-08', { doi: { doi, source: 'typed', state: 'typed' } });
await createVersion(gauges, 'gone', {
  state: 'withdrawn',
  notes: script,
  withdrawal: { reason: `Wrong unit. ${script}`, withdrawn_at: '2026-09-02T10:00:00.000Z' },
});
await createVersion(gauges, 'failed', { state: 'failed' });
await createVersion(gauges, 'unready', { state: 'freezing' });
await createVersion('raw-drafts', 'v1');
await putAll({ 'README.md': '# Gauges\n\nThe newest text.', 'new.csv': 'a\n' });

async function open(path: string) {
  const answer = await fetch(service.apiUrl + path, { redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}

const dataUrl = `${service.dataUrl}${repository}`;

describe('the page', () => {
  test.each<[string, string, shown: string[], hidden: string[]]>([
    [
      'of a version',
      `${repository}?version=2026-07`,
      [
        'Version 2026-07, frozen on',
        `href="${repository}">Go to the newest state</a>`,
        `href="${repository}/data/?version=2026-07"`,
        `href="${repository}/data/levels.csv?version=2026-07">table</a>`,
        `s3://${Bucket}/${gauges}@2026-07/`,
        `<link rel="canonical" href="${service.apiUrl}${repository}?version=2026-07"/>`,
        'First release\n&lt;script>',
      ],
      ['The newest text', 'new.csv', 'noindex'],
    ],
    [
      'of a folder of a version',
      `${repository}/data/?version=2026-07`,
      [`href="${repository}/data/removed.csv?version=2026-07"`, 'noindex'],
      ['added.csv'],
    ],
    [
      'of a file of a version',
      `${repository}/data/levels.csv?version=2026-07`,
      [
        `href="${dataUrl}@2026-07/data/levels.csv" download`,
        '>17</td>',
        'Version: 2026-07</summary>',
        `href="${repository}/data/levels.csv?version=2026-08"`,
        `href="${repository}/data/levels.csv"`,
        'noindex',
      ],
      ['>18</td>', `href="${dataUrl}/data`],
    ],
    [
      'of a file with a scripted preview',
      `${repository}/stations.geojson?version=2026-07`,
      [`src="/-/preview${repository}?version=2026-07&amp;path=stations.geojson&amp;frame=1"`],
      [],
    ],
    [
      'of a preview of a version',
      `/-/preview${repository}?version=2026-07&path=stations.geojson`,
      [`"url":"${dataUrl}@2026-07/stations.geojson"`, `href="${repository}/stations.geojson?version=2026-07"`],
      [],
    ],
    [
      'of the newest state',
      repository,
      [
        'The newest text',
        'Version: newest state</summary>',
        `href="${repository}?version=2026-07"`,
        `href="${repository}?version=gone"`,
        `href="${versionsList}"`,
      ],
      ['version=failed', 'version=unready', 'frozen on 2'],
    ],
    ['of a file of the newest state', `${repository}/new.csv`, [`href="${repository}/new.csv?version=2026-08"`], []],
    [
      'of all versions',
      versionsList,
      [`href="${repository}?version=2026-08"`, '<option value="2026-07" selected', '> withdrawn<'],
      ['version=failed', '<option value="gone"', 'noindex'],
    ],
    [
      'of a difference',
      `${versionsList}?version=2026-08&compare=2026-07`,
      [
        'Added</th><td class="number">2</td><td class="number">10 bytes</td>',
        'Removed</th><td class="number">1</td><td class="number">8 bytes</td>',
        'Changed</th><td class="number">1</td><td class="number">9 bytes → 12 bytes</td>',
        `href="${repository}/data/removed.csv?version=2026-07"`,
        `href="${repository}/data/added.csv?version=2026-08"`,
        'noindex',
      ],
      ['README.md', 'rel="next"'],
    ],
    [
      'of a difference from a key on',
      `${versionsList}?version=2026-08&compare=2026-07&from=data/m`,
      ['from <code>data/m</code> on', 'Added</th><td class="number">0<', 'First page'],
      ['data/added.csv'],
    ],
    ['of no difference', `${versionsList}?version=2026-08&compare=2026-08`, ['No file differs.'], []],
  ])('%s: %s', async (_, path, shown, hidden) => {
    const { status, html, headers } = await open(path);
    expect(status).toBe(200);
    for (const words of shown) expect(html).toContain(words);
    for (const words of [...hidden, script]) expect(html).not.toContain(words);
    expect(headers.get('cache-control')).toBe('public, max-age=0, must-revalidate');
  });

  const unknown = ['Version not found', `href="${versionsList}"`];
  test.each<[string, string, status: number, shown: string[]]>([
    ['an unknown version', `${repository}?version=2027`, 404, unknown],
    ['a failed version', `${repository}?version=failed`, 404, unknown],
    ['a version that is not ready', `${repository}?version=unready`, 404, unknown],
    ['an empty name', `${repository}?version=`, 404, unknown],
    ['dots as a name', `${repository}?version=..`, 404, unknown],
    ['only @', `${repository}?version=@`, 404, unknown],
    ['two names', `${repository}?version=2026-07@2026-08`, 404, unknown],
    ['an encoded @', `${repository}?version=2026-07%2540`, 404, unknown],
    ['a name given twice', `${repository}?version=2026-07&version=2026-08`, 404, unknown],
    ['a name with a path', `${repository}?version=2026-07/data`, 404, unknown],
    ['a name that is markup', `${repository}?version=${encodeURIComponent(script)}`, 404, unknown],
    ['a name of the prototype', `${repository}?version=__proto__`, 404, unknown],
    ['a name in capitals', `${repository}?version=GONE`, 404, unknown],
    ['a name of 7 KB', `${repository}?version=${'v'.repeat(7000)}`, 400, ['Invalid URL']],
    [
      'a file that the version lacks',
      `${repository}/data/added.csv?version=2026-07`,
      404,
      [
        'Version 2026-07 does not contain this file',
        `href="${repository}?version=2026-07">See the files of version 2026-07`,
        `href="${repository}/data/added.csv">Look in the newest state`,
      ],
    ],
    ['a folder that the version lacks', `${repository}/x/?version=2026-07`, 404, ['does not contain this folder']],
    ['the manifest', `${repository}/.sluice/versions/a?version=2026-07`, 404, ['does not contain this file']],
    ['a file with dot segments', `${repository}?version=2026-07&path=../a`, 404, ['does not contain this file']],
    ['a preview of an unknown version', `/-/preview${repository}?version=2027&path=stations.geojson`, 404, unknown],
    ['a difference from an unknown version', `${versionsList}?version=2026-08&compare=2027`, 404, unknown],
    ['a difference from a failed version', `${versionsList}?version=2026-08&compare=failed`, 404, unknown],
    ['a difference from dots', `${versionsList}?version=2026-08&compare=..`, 404, unknown],
    ['a cursor that is no position', `${versionsList}?cursor=x`, 400, ['Invalid URL']],
    ['a withdrawn version', `${repository}?version=gone`, 410, ['Wrong unit. &lt;script>', '2026-09-02 10:00 UTC']],
    ['a file of a withdrawn version', `${repository}/README.md?version=gone`, 410, ['Wrong unit.']],
    ['a preview of a withdrawn version', `/-/preview${repository}?version=gone&path=a.geojson`, 410, ['Wrong unit.']],
    ['a difference from a withdrawn version', `${versionsList}?version=2026-08&compare=gone`, 410, ['Wrong unit.']],
  ])('for %s has a next step, is not cached, and links to no data', async (_, path, status, shown) => {
    const answer = await open(path);
    expect(answer.status).toBe(status);
    for (const words of [...shown, 'noindex']) expect(answer.html).toContain(words);
    expect(answer.html).not.toContain(script);
    expect(answer.html).not.toContain(service.dataUrl);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('is the same for versions of a private repository as for a missing repository', async () => {
    const refused = await open('/nobody-at-all');
    for (const path of [
      `/${Bucket}/raw-drafts?version=v1`,
      `/${Bucket}/raw-drafts?version=v2`,
      `/-/versions/${Bucket}/raw-drafts`,
      `/-/versions/${Bucket}/raw-drafts?version=v1&compare=v1`,
      `/-/preview/${Bucket}/raw-drafts?version=v1&path=a.geojson`,
    ]) {
      const { status, html } = await open(path);
      expect([status, html]).toEqual([404, refused.html]);
    }
  });

  test('is the redirect target for a browser that opens the data URL of a version', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8' };
    const answer = await fetch(`${dataUrl}@2026-07/data/`, { headers, redirect: 'manual' });
    const location = `${service.apiUrl}${repository}/data/?version=2026-07`;
    expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
    expect((await fetch(location)).status).toBe(200);
  });
});

describe('a citation', () => {
  const [pageOf, year] = [
    (name: string) => `${service.apiUrl}${repository}?version=${name}`,
    new Date().getUTCFullYear(),
  ];

  test.each([
    ['2026-07', '', pageOf('2026-07')],
    ['2026-08', '', `https://doi.org/${doi}`],
    ['gone', ', withdrawn 2026-09-02', pageOf('gone')],
  ])('of version %s%s is on its page, with its identifier', async (name, state, identifier) => {
    const { html, headers } = await open(`${repository}?version=${name}`);
    expect(headers.get('link')).toBe(`<${identifier}>; rel="cite-as"`);
    expect(html).toMatch(`(Version ${name}${state}). Sluice. ${identifier}</p>`);
    expect(html).toContain(`<a href="${identifier}">`);
    const links = html.match(/href="[^"]+citation=[^"]+"/g) ?? [];
    expect(links).toHaveLength(5);
    for (const link of links) {
      const file = await open(link.slice(6, -1).replaceAll('&amp;', '&'));
      expect([file.status, file.headers.get('link')]).toEqual([200, `<${identifier}>; rel="cite-as"`]);
      expect(file.html).toContain(name);
      expect(file.html).not.toContain('<html');
    }
  });

  test.each([
    ['bibtex', 'application/x-bibtex', 'bib', /^@misc\{/],
    ['ris', 'application/x-research-info-systems', 'ris', /^TY {2}- DATA\r\n/],
    ['cff', 'application/yaml', 'cff', /^cff-version: 1\.2\.0\n/],
    ['datacite-json', 'application/vnd.datacite.datacite+json', 'json', /"doi": "10\.5281/],
    ['datacite-xml', 'application/vnd.datacite.datacite+xml', 'xml', /^<\?xml /],
  ])('in the format %s is a file for programs', async (format, type, extension, beginning) => {
    const { status, headers, html } = await open(`${versionsList}?version=2026-08&citation=${format}`);
    expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="tide-institute_tide-gauges_2026-08.${extension}"`,
    );
    expect(html).toMatch(beginning);
  });

  test.each([
    ['an unknown format', '?version=2026-08&citation=html', 400],
    ['an unknown version', '?version=2027&citation=ris', 404],
    ['a failed version', '?version=failed&citation=ris', 404],
    ['dots as a name', '?version=..&citation=ris', 404],
  ])('does not exist for %s', async (_, query, status) => {
    const answer = await open(versionsList + query);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  });

  test('in the metadata of the page names the version, its identifier, and its repository', async () => {
    const metadataOf = async (path: string) => {
      const { html } = await open(path);
      return JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? '');
    };
    expect(await metadataOf(`${repository}?version=2026-08`)).toMatchObject({
      '@id': pageOf('2026-08'),
      version: '2026-08',
      identifier: `https://doi.org/${doi}`,
      'dct:isVersionOf': { '@id': service.apiUrl + repository },
      citeAs: expect.stringContaining(`(${year}). `),
      distribution: [
        { contentUrl: `${dataUrl}@2026-08/README.md` },
        { contentUrl: `${dataUrl}@2026-08/stations.geojson` },
      ],
    });
    const newest = await metadataOf(repository);
    expect([newest['version'], newest['dct:isVersionOf']]).toEqual([undefined, undefined]);
  });
});

const shownPages = [
  ['version', `${repository}?version=2026-07`, 200],
  ['file', `${repository}/data/levels.csv?version=2026-07`, 200],
  ['list', versionsList, 200],
  ['difference', `${versionsList}?version=2026-08&compare=2026-07`, 200],
  ['withdrawn', `${repository}?version=gone`, 410],
  ['unknown', `${repository}?version=2027`, 404],
  ['lacks-file', `${repository}/data/added.csv?version=2026-07`, 404],
] as const;

describe.each(installedBrowsers.filter(({ kind }) => kind === 'chrome'))('in $name', (installed) => {
  describe.each(['light', 'dark'] as const)('with %s colors,', (colours) => {
    let browser: OpenBrowser;
    beforeAll(async () => {
      browser = await openBrowser(installed, { colours });
    });
    afterAll(() => browser?.close());

    test.each(shownPages)('the page "%s" is accessible and complete at every width', async (_, path, status) => {
      const page = await browser.newPage({ width: 1280 });
      expect((await page.goto(service.apiUrl + path))?.status()).toBe(status);
      for (const width of [1280, 640, 360, 320]) {
        await page.setViewport({ width, height: 800 });
        await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
        expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
        if (width >= 1280 || width === 360) expect(await violations(page)).toEqual([]);
      }
      await page.close();
    });
  });
});
