import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bundleFunctions,
  type FunctionBundle,
  type FunctionBundles,
  functionFiles,
} from '../../../lib/stacks/bundle.ts';
import { parseConfig } from '../../../lib/stacks/config.ts';
import { edgeConfig } from '../../../lib/stacks/names.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'sluice-bundles-'));
let bundles: FunctionBundles;
beforeAll(async () => {
  bundles = await bundle('first');
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true }));

describe('the bundles', () => {
  it('are one for each file under functions/', () => {
    expect([...bundles.keys()]).toEqual(functionFiles().map(({ name }) => name));
  });

  it('hold no http URL of ours', () => {
    const ours = [...bundles.values()]
      .flatMap(({ inputs }) => inputs)
      .filter((input) => /^(?:lib|functions)\//.test(input));
    for (const file of new Set(ours)) {
      // Namespaces of XML and of linked data are names in the form of URLs: nothing is fetched there.
      const names =
        /^http:\/\/(?:s3\.amazonaws\.com\/doc|www\.w3\.org\/2000\/svg|www\.sitemaps\.org\/schemas|mlcommons\.org\/croissant|purl\.org\/dc\/terms)(?:\/|$)/;
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

  it('hold nothing of local mode', () => {
    for (const { name, inputs } of bundles.values()) {
      expect(
        inputs.filter((input) => /^(?:lib\/(?:local|stacks)|bin|test|bench)\//.test(input)),
        name,
      ).toEqual([]);
    }
  });

  it('are under 700 KB', () => {
    for (const { name, bytes } of bundles.values()) expect(bytes, name).toBeLessThan(700_000);
  });

  it('for the edge are under 300 KB and hold nothing of the AWS SDK: each reader far away waits for their cold starts', () => {
    for (const made of bundles.values()) {
      if (made.group !== 'edge') continue;
      for (const { bytes } of [made, ...made.lateParts]) expect(bytes, made.name).toBeLessThan(300_000);
      expect(made.inputs.filter((input) => /node_modules\/@(?:aws-sdk|smithy|aws)\//.test(input))).toEqual([]);
    }
  });

  it('keep what a function loads late beside it, whole, and out of what it loads at its start', async () => {
    const late = [...bundles.values()].flatMap(({ name, lateParts }) => lateParts.map((part) => ({ name, ...part })));
    expect(late.map(({ name, file }) => `${name}/${path.basename(file)}`)).toEqual(['serve-object/exchange.cjs']);
    const atStart = codeOf(bundles.get('serve-object'));
    expect(atStart).toContain('import("./exchange.cjs")');
    // Of the exchange alone.
    for (const text of ['RoleSessionName must be', 'is not signed by a key of its issuer']) {
      expect(atStart).not.toContain(text);
      expect(readFileSync(late[0]?.file ?? '', 'utf8')).toContain(text);
    }
  });

  it('load late what they need, in a fresh Node process', () => {
    const part = JSON.stringify(bundles.get('serve-object')?.lateParts[0]?.file);
    const script = `const { createDeployedExchangeHandler } = await import(${part});
      if (typeof createDeployedExchangeHandler() !== 'function') throw new Error('no handler');`;
    execFileSync('node', ['--input-type=module', '-e', script], { env: { PATH: process.env['PATH'] } });
  });

  it('load in a fresh Node process and export a handler', () => {
    const files = [...bundles.values()].map(({ directory: folder }) => path.join(folder, 'index.cjs'));
    const script = `for (const file of ${JSON.stringify(files)}) {
      const { handler } = await import(file);
      // Of the third argument on, Node 24 on Lambda takes a handler for one with a callback, and refuses it.
      if (typeof handler !== 'function' || handler.length > 2) throw new Error(file);
    }`;
    execFileSync('node', ['--input-type=module', '-e', script], { env: { PATH: process.env['PATH'] } });
  });

  it('are the same every time', async () => {
    const again = await bundle('again');
    for (const made of bundles.values())
      expect(allCodeOf(made) === allCodeOf(again.get(made.name)), made.name).toBe(true);
  }, 60_000);

  it('for the edge read no environment of ours, and have the deployment written into them', () => {
    const edge = [...bundles.values()].filter(({ group }) => group === 'edge');
    expect(edge).toHaveLength(3);
    for (const made of edge) {
      expect(made.inputs).not.toContain('lib/deployed/environment.ts');
      expect(allCodeOf(made)).not.toMatch(/SLUICE_/);
      if (made.name !== 'shape-response') expect(codeOf(made)).toContain('sluice/session-keys');
    }
  });
});

function bundle(name: string): Promise<FunctionBundles> {
  return bundleFunctions(edgeConfig(parseConfig({})), path.join(directory, name));
}

function codeOf(made: FunctionBundle | undefined): string {
  return readFileSync(path.join(made?.directory ?? '', 'index.cjs'), 'utf8');
}

/** With what it loads late. */
function allCodeOf(made: FunctionBundle | undefined): string {
  return [codeOf(made), ...(made?.lateParts ?? []).map(({ file }) => readFileSync(file, 'utf8'))].join('\n');
}
