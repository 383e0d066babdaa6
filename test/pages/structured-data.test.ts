import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPythonClient } from '../clients/fixtures/python-clients.ts';
import { made } from '../functions/users.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

/**
 * The metadata of pages, validated by the authors of the formats: mlcroissant, the library of Croissant, and
 * schema-dts, the types of schema.org.
 */
const mlcroissant = findPythonClient('mlcroissant', 'croissant');

const hostileWords = '</script><script>alert(1)</script>"}]} <!-- \\ \u2028 @id: _:b ${x}';
const hostileKeys = [
  'a b+c%20d#e?f.csv',
  '</script><script>.csv',
  'a"b\\c.json',
  '@id',
  '_:blank',
  'http://other.example/x.csv',
  'ü 漢字.parquet',
];

/** The number of hostile files in the top folder. The others are in folders. */
const hostileFiles = hostileKeys.filter((key) => !key.includes('/')).length;

/** Recommended properties that each data set lacks, by `tide-institute/<id>`. */
const lacking: Readonly<Record<string, readonly string[]>> = {
  'world-borders': [],
  'tide-gauges': ['citeAs'],
  'without-words': ['citeAs', 'license'],
  'of-an-attacker': [],
};
/** These data sets have only a current state, without version numbers. */
const neverThere = 'version';

let service: SeededService;
beforeAll(async () => {
  service = await startSeededService({ withDataSet: true });
  const ada = await service.user('ada');
  const metas: Record<string, object> = {
    'without-words': { title: '', description: '', tags: '' },
    'of-an-attacker': {
      title: hostileWords,
      description: hostileWords,
      tags: hostileWords,
      keywords: ['@context', hostileWords],
      license: 'CC-BY-4.0 AND (MIT OR Apache-2.0)',
      citation: hostileWords,
      homepage: 'https://example.org/?"<script>',
      doi: '10.5281/zenodo.1234567',
    },
  };
  for (const [repository_id, meta] of Object.entries(metas)) {
    const place = { repository_id, data_mode: 'open', data_connection_id: 'local-store' };
    await made(ada('POST', '/repositories/tide-institute', { ...place, meta }));
    const grant = `/service-accounts/tide-institute--nightly-sync/grants/${repository_id}`;
    await made(ada('PUT', grant, { access: 'read_write' }));
  }
  const client = s3Client(service, await signIn(service, service.key));
  for (const key of hostileKeys) {
    await client.send(new PutObjectCommand({ Bucket: 'tide-institute', Key: `of-an-attacker/${key}`, Body: 'a' }));
  }
});
afterAll(() => service.close());

/** Returns the only JSON-LD of a page. */
async function metadataOf(address: string) {
  const page = await (await fetch(service.apiUrl + address)).text();
  const [, json, ...more] = page.split(/<script type="application\/ld\+json">(.*?)<\/script>/s);
  expect([json === undefined, more.length]).toEqual([false, 1]);
  return JSON.parse(json ?? '');
}

describe.skipIf(mlcroissant.isMissing)(
  `the metadata of a repository, read by ${mlcroissant.title}`,
  { timeout: 120_000 },
  () => {
    test.each(Object.entries(lacking))('is valid Croissant: %s', async (id, names) => {
      const metadata = await metadataOf(`/tide-institute/${id}`);
      const told = JSON.parse(
        await mlcroissant.run(['test/clients/python/croissant.py'], {}, JSON.stringify(metadata)),
      );
      expect(told.errors).toEqual([]);
      const recommended = told.warnings.map(
        (warning: string) => /[/](\w+)" is recommended/.exec(warning)?.[1] ?? warning,
      );
      expect(recommended.sort()).toEqual([...names, neverThere].sort());
      for (const url of told.files) expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
      expect(told.files).toHaveLength({ 'world-borders': 7, 'of-an-attacker': hostileFiles }[id] ?? 0);
    });
  },
);

test('the metadata of pages is valid schema.org', async () => {
  const addresses = [...Object.keys(lacking).map((id) => `/tide-institute/${id}`), '/', '/tide-institute', '/ada'];
  const checked = await Promise.all(addresses.map(async (address) => ({ address, data: await metadataOf(address) })));
  const types: Record<string, string> = { Dataset: 'Dataset', DataCatalog: 'DataCatalog', Person: 'Person' };
  const statements = checked.map(({ data }, at) => {
    const terms = schemaTerms(data, data['@context']) as Record<string, unknown>;
    const type = types[String(terms['@type'])] ?? 'Organization';
    return `export const page${at}: ${type} = ${JSON.stringify(terms)};`;
  });
  // The check needs exact types. With the type `any`, it would find no errors.
  statements.push(`// @ts-expect-error\nexport const wrong: Dataset = { '@type': 'Dataset', licence: 'CC0-1.0' };`);
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-schema-'));
  try {
    const vocabulary = path.resolve('node_modules/schema-dts/dist/schema.js');
    const source = `import type { Dataset, DataCatalog, Organization, Person } from '${vocabulary}';\n${statements.join('\n')}`;
    await writeFile(path.join(folder, 'pages.ts'), source);
    const options = { strict: true, noEmit: true, module: 'nodenext', skipLibCheck: true, types: [] };
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
    const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
}, 120_000);

/** Removes the terms of other vocabularies and the prefix of schema.org. A file of Croissant becomes a download. */
function schemaTerms(value: unknown, context: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => schemaTerms(each, context));
  if (typeof value !== 'object' || value === null) return value;
  const isOfOthers = (name: string) =>
    name.includes(':') || (typeof context === 'object' && context !== null && name in context && !name.startsWith('@'));
  const entries = Object.entries(value).filter(([name]) => name !== '@context' && !isOfOthers(name));
  return Object.fromEntries(
    entries.map(([name, each]) => [
      name,
      name === '@type'
        ? String(each).replace(/^sc:/, '').replace('cr:FileObject', 'DataDownload')
        : schemaTerms(each, context),
    ]),
  );
}
