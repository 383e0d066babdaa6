import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { buildSite } from '../assets/build-site.ts';
import { readLogo } from '../assets/logo.ts';
import type { SiteEntries } from '../domain/site-assets.ts';
import type { EdgeConfig } from '../edge/config.ts';

const repository = path.resolve(import.meta.dirname, '../..');

export interface FunctionBundle {
  /** The name of the file under functions/, of the Lambda and, for operations, of the registry's entry. */
  name: string;
  group: string;
  /** Holds `index.cjs`, and is what is uploaded. */
  directory: string;
  bytes: number;
  /** Files beside it that it loads when it needs them. */
  lateParts: readonly { file: string; bytes: number }[];
  /** Files that went in, relative to the repository. */
  inputs: readonly string[];
}

/**
 * What a function imports at run time, by its name. Each is bundled whole, once more with all that it uses: to share
 * modules, esbuild would wrap them and keep what neither uses, and the function's own import would take a tenth longer.
 * Nothing but plain values may pass between the two, since each has its own instance of every class.
 */
const lateParts: Record<string, readonly string[]> = { 'serve-object': ['lib/lambda/edge/exchange.ts'] };

/** The site's browser code as it was built for a deployment. */
export interface SiteBundle {
  entries: SiteEntries;
  /** Holds its files, the logo among them, and nothing else. */
  directory: string;
  logoFile?: string | undefined;
}

/** By function name. */
export type FunctionBundles = ReadonlyMap<string, FunctionBundle>;

/** Bundles every file `functions/<group>/<name>.ts`, with the AWS SDK inside: a Lambda's own may be any version. */
export async function bundleFunctions(edgeConfig: EdgeConfig, outputDirectory: string): Promise<FunctionBundles> {
  const entries = functionFiles();
  const isAtEdge = ({ group }: FunctionFile) => group === 'edge';
  const made = await Promise.all([
    buildFunctions(entries.filter(isAtEdge), edgeConfig, outputDirectory, [importLate, useSmallZod]),
    buildFunctions(
      entries.filter((entry) => !isAtEdge(entry)),
      edgeConfig,
      outputDirectory,
      [importLate],
    ),
  ]);
  const bundles = new Map(made.flat().map((bundle) => [bundle.name, bundle]));
  return new Map(entries.map(({ name }) => [name, bundleOf(bundles, name)]));
}

async function buildFunctions(
  entries: readonly FunctionFile[],
  edgeConfig: EdgeConfig,
  outputDirectory: string,
  plugins: Plugin[],
): Promise<FunctionBundle[]> {
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: Object.fromEntries(
      entries.flatMap(({ name, file }) => [
        [`${name}/index`, file],
        ...latePartsOf(name).map((part) => [`${name}/${path.basename(part, '.ts')}`, part]),
      ]),
    ),
    plugins,
    alias: { '@aws-sdk/credential-provider-node': path.join(repository, 'lib/lambda/environment-credentials.ts') },
    outdir: outputDirectory,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    // Not 'esm': for an ES module Node fills in every export of `node:http`, which loads its fetch and WebSocket too, and
    // an import takes a fifth longer.
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // The ES builds of packages, of which esbuild can leave out what is not used.
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: false,
    legalComments: 'none',
    define: { SLUICE_EDGE_CONFIG: JSON.stringify(edgeConfig) },
    metafile: true,
    logLevel: 'warning',
  });
  return entries.map((entry) => describeBundle(entry, outputDirectory, metafile));
}

/** All methods of `zod`, and what makes JSON schemas of it, took a quarter of a cold start at the edge. */
export const useSmallZod: Plugin = {
  name: 'use-small-zod',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: 'small' }));
    const contents = "import './lib/lambda/zod-methods.ts'; export * from 'zod/mini';";
    onLoad({ filter: /^zod$/, namespace: 'small' }, () => ({ contents, resolveDir: repository }));
  },
};

const importLate: Plugin = {
  name: 'import-late',
  setup({ onResolve }) {
    // Of our code alone: packages name no sources.
    onResolve({ filter: /^\..*\.ts$/ }, ({ kind, resolveDir, path: imported }) => {
      if (kind !== 'dynamic-import') return undefined;
      const part = path.relative(repository, path.resolve(resolveDir, imported));
      if (!Object.values(lateParts).flat().includes(part)) {
        return { errors: [{ text: `${part} is imported at run time and is no late part of a function` }] };
      }
      return { path: `./${path.basename(part, '.ts')}.cjs`, external: true };
    });
  },
};

function latePartsOf(name: string): readonly string[] {
  return lateParts[name] ?? [];
}

/** @param outputDirectory is made */
export async function bundleSite(outputDirectory: string, logoFile?: string): Promise<SiteBundle> {
  const logo = logoFile === undefined ? undefined : readLogo(logoFile);
  const { entries, files } = await buildSite();
  mkdirSync(outputDirectory);
  for (const [name, contents] of files) writeFileSync(path.join(outputDirectory, name), contents);
  if (logo !== undefined) writeFileSync(path.join(outputDirectory, logo.name), logo.bytes);
  return { entries, directory: outputDirectory, logoFile: logo?.name };
}

interface FunctionFile {
  name: string;
  group: string;
  file: string;
}

export function functionFiles(): FunctionFile[] {
  return globSync('functions/*/*.ts', { cwd: repository })
    .sort()
    .map((file) => ({ file, name: path.basename(file, '.ts'), group: path.basename(path.dirname(file)) }));
}

function describeBundle(
  { name, group, file }: FunctionFile,
  outputDirectory: string,
  metafile: Metafile,
): FunctionBundle {
  const directory = path.join(outputDirectory, name);
  const index = outputOf(metafile, file);
  const parts = latePartsOf(name).map((part) => ({ part, ...outputOf(metafile, part) }));
  return {
    name,
    group,
    directory,
    bytes: index.bytes,
    lateParts: parts.map(({ part, bytes }) => ({
      file: path.join(directory, `${path.basename(part, '.ts')}.cjs`),
      bytes,
    })),
    inputs: [...new Set([index, ...parts].flatMap(({ inputs }) => Object.keys(inputs)))],
  };
}

function outputOf(metafile: Metafile, entryPoint: string): Metafile['outputs'][string] {
  const output = Object.values(metafile.outputs).find((made) => made.entryPoint === entryPoint);
  if (output === undefined) throw new Error(`no bundle was made of ${entryPoint}`);
  return output;
}

/** @throws Error when functions/ has no file of that name */
export function bundleOf(bundles: FunctionBundles, name: string): FunctionBundle {
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`there is no file functions/<group>/${name}.ts`);
  return bundle;
}
