import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleFunctions, type FunctionBundle, functionFiles, useSmallZod } from '../../../lib/stacks/bundle.ts';
import { parseConfig } from '../../../lib/stacks/config.ts';
import { edgeConfig } from '../../../lib/stacks/names.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'sluice-bundles-'));
/** The timeout for a hundred bundles. Two minutes were too short on a busy machine. */
const timeout = 300_000;
const bundles = await bundleFunctions(edgeConfig(parseConfig({})), path.join(directory, 'bundles'));
const edge = [...bundles.values()].filter(({ group }) => group === 'edge');
afterAll(() => rmSync(directory, { recursive: true }));

describe('the bundles', () => {
  it('are one for each file under functions/', () => {
    expect([...bundles.keys()]).toEqual(functionFiles().map(({ name }) => name));
  });

  it('contain no http URL of the service', () => {
    const ours = [...bundles.values()]
      .flatMap(({ inputs }) => inputs)
      .filter((input) => /^(?:lib|functions)\//.test(input));
    for (const file of new Set(ours)) {
      // XML and linked-data namespaces have the form of URLs, but are never fetched. Commands listen on loopback.
      const names =
        /^http:\/\/(?:localhost:\$\{port\}\/callback$|s3\.amazonaws\.com\/doc|www\.w3\.org\/2000\/svg|www\.w3\.org\/2001\/XMLSchema-instance|datacite\.org\/schema|www\.sitemaps\.org\/schemas|mlcommons\.org\/croissant|purl\.org\/dc\/terms)(?:\/|$)/;
      const urls = readFileSync(file, 'utf8').match(/http:\/\/[^'"`\s]+/g) ?? [];
      expect(
        urls.filter((url) => !names.test(url)),
        file,
      ).toEqual([]);
    }
  });

  it('take no endpoint from the environment', () => {
    for (const made of bundles.values())
      expect(allCodeOf(made).match(/SLUICE_\w*ENDPOINT/)?.[0], made.name).toBeUndefined();
  });

  it('contain no code of local mode', () => {
    for (const { name, inputs } of bundles.values()) {
      expect(
        inputs.filter((input) => /^(?:lib\/(?:local|stacks)|bin|test|bench)\//.test(input)),
        name,
      ).toEqual([]);
    }
  });

  it('are under 700 KB, except the one that runs each hour and loads 60 MB of native code', () => {
    for (const { name, bytes } of bundles.values())
      expect(bytes, name).toBeLessThan(name === 'count-usage' ? 1_300_000 : 700_000);
  });

  it('for the edge are under 300 KB and contain no client of the AWS SDK', () => {
    for (const made of edge) {
      for (const { bytes } of [made, ...made.lateParts]) expect(bytes, made.name).toBeLessThan(300_000);
      const sdk = made.inputs.filter((input) => /node_modules\/@(?:aws-sdk|smithy|aws)\//.test(input));
      expect(sdk.filter((input) => !input.startsWith('node_modules/@aws-sdk/util-dynamodb/'))).toEqual([]);
    }
  });

  it('for the edge and for pages contain only a small part of zod', () => {
    // Importing these files would add zod's methods and its JSON Schema generator to the bundle.
    const large = /node_modules\/zod\/v4\/(?:classic|locales)\//;
    const small = [...bundles.values()].filter(({ group }) => group === 'edge' || group === 'pages');
    expect(small.flatMap(({ inputs }) => inputs).filter((input) => large.test(input))).toEqual([]);
  });

  it('for the edge and for pages create the same schemas as with the whole of zod', async () => {
    const file = (name: string) => path.join(directory, `${name}.cjs`);
    await Promise.all([bundleSchemas(file('all'), []), bundleSchemas(file('small'), [useSmallZod])]);
    const [all, small] = [schemasIn(file('all')), schemasIn(file('small'))];
    expect(all.length).toBeGreaterThan(300);
    expect(small).toEqual(all);
  });

  it('put lazily loaded code into a complete bundle of its own, outside of the main bundle', async () => {
    const late = [...bundles.values()].flatMap(({ name, lateParts }) => lateParts.map((part) => ({ name, ...part })));
    expect(late.map(({ name, file }) => `${name}/${path.basename(file)}`)).toEqual([
      'serve-object/exchange.cjs',
      'shape-response/storage-reports.cjs',
    ]);
    const atStart = codeOf(bundles.get('serve-object'));
    expect(atStart).toContain('import("./exchange.cjs")');
    // The only texts that are allowed here are messages of the exchange.
    for (const text of ['RoleSessionName must be', 'is not signed by a key of its issuer']) {
      expect(atStart).not.toContain(text);
      expect(readFileSync(late[0]?.file ?? '', 'utf8')).toContain(text);
    }
  });

  it('load lazy code in a new Node process', () => {
    const part = JSON.stringify(bundles.get('serve-object')?.lateParts[0]?.file);
    const script = `const { createDeployedExchangeHandler } = await import(${part});
      if (typeof createDeployedExchangeHandler() !== 'function') throw new Error('no handler');`;
    execFileSync('node', ['--input-type=module', '-e', script], { env: { PATH: process.env['PATH'] } });
  });

  it('load in a fresh Node process and export a handler', { timeout }, () => {
    const files = [...bundles.values()].map(({ directory: folder }) => path.join(folder, 'index.cjs'));
    const script = `for (const file of ${JSON.stringify(files)}) {
      const { handler } = await import(file);
      // Node 24 on Lambda treats a handler with three or more parameters as one with a callback, and refuses it.
      if (typeof handler !== 'function' || handler.length > 2) throw new Error(file);
    }`;
    // The project contains the native code for this computer, and the bundle contains the native code for Lambda.
    const env = { PATH: process.env['PATH'], NODE_PATH: path.resolve('node_modules') };
    execFileSync('node', ['--input-type=module', '-e', script], { env });
  });

  it('contain the native code of DuckDB for Lambda, in the locked version', () => {
    const folder = path.join(bundles.get('count-usage')?.directory ?? '', 'node_modules/@duckdb');
    expect(readdirSync(folder)).toEqual(['node-bindings', 'node-bindings-linux-arm64']);
    const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages['node_modules/@duckdb/node-bindings'];
    const installed = JSON.parse(readFileSync(path.join(folder, 'node-bindings/package.json'), 'utf8'));
    expect(installed.version).toBe(locked.version);
    // ELF header: e_machine 183 is AArch64.
    const library = readFileSync(path.join(folder, 'node-bindings-linux-arm64/libduckdb.so'));
    expect([library.toString('latin1', 1, 4), library.readUInt16LE(18)]).toEqual(['ELF', 183]);
  });

  it('for the edge read no environment variable, and contain the configuration of the deployment', () => {
    expect(edge).toHaveLength(3);
    for (const made of edge) {
      expect(made.inputs).not.toContain('lib/lambda/environment.ts');
      expect(allCodeOf(made)).not.toMatch(/SLUICE_/);
      if (made.name !== 'shape-response') expect(codeOf(made)).toContain('sluice/session-keys');
    }
  });
});

function codeOf(made: FunctionBundle | undefined): string {
  return readFileSync(path.join(made?.directory ?? '', 'index.cjs'), 'utf8');
}

/** Returns the code of a bundle, including the files that it loads later. */
function allCodeOf(made: FunctionBundle | undefined): string {
  return [codeOf(made), ...(made?.lateParts ?? []).map(({ file }) => readFileSync(file, 'utf8'))].join('\n');
}

/** Bundles all code of the edge and of pages into one file, in which functions and schemas keep their order. */
async function bundleSchemas(outfile: string, plugins: Plugin[]): Promise<void> {
  const sources = ['lib/edge/object-handler.ts', 'lib/edge/exchange-handler.ts', 'lib/lambda/edge/objects.ts'];
  const pages = functionFiles().flatMap(({ group, file }) => (group === 'pages' ? [file] : []));
  const all = [...sources, 'lib/lambda/edge/exchange.ts', ...pages];
  const contents = all.map((source) => `import './${source}';`).join('\n');
  const stdin = { contents, resolveDir: path.resolve(import.meta.dirname, '../../..') };
  const define = { SLUICE_EDGE_CONFIG: '{}' };
  await build({ stdin, plugins, define, outfile, bundle: true, platform: 'node', mainFields: ['module', 'main'] });
}

/** Returns the zod schemas and checks that a bundle creates at load time. Each refers to its parts by index. */
function schemasIn(file: string): unknown[] {
  const script = `const made = new Map();
    globalThis.__zod_globalConfig = { postProcessor: (one) => made.set(one, made.size) };
    require(${JSON.stringify(file)});
    const describe = (value) => {
      if (made.has(value)) return 'number ' + made.get(value);
      if (typeof value === 'function' || value instanceof RegExp) return String(value);
      if (value instanceof Set) return [...value].map(describe);
      if (typeof value !== 'object' || value === null) return value;
      return Array.isArray(value) ? value.map(describe) : Object.fromEntries(Object.keys(value).map((key) => [key, describe(value[key])]));
    };
    console.log(JSON.stringify([...made.keys()].map(({ _zod }) => describe(_zod.def))));`;
  return JSON.parse(execFileSync('node', ['-e', script], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
}
