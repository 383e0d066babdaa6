import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { buildSite } from '../assets/build-site.ts';
import { readLogo } from '../assets/logo.ts';
import type { SiteEntries } from '../domain/site-assets.ts';
import type { EdgeConfig } from '../edge/config.ts';
import { installNativeModule, nativeModule } from './native-modules.ts';

/**
 * The version of Node that runs the edge functions. It is set separately, because Lambda@Edge supports new versions
 * later than Lambda does.
 */
export const edgeNodeVersion = 24;

const repository = path.resolve(import.meta.dirname, '../..');

export interface FunctionBundle {
  /**
   * The name of the function. The file below `functions/`, the Lambda function, and the operation in the registry have
   * the same name.
   */
  name: string;
  group: string;
  /** The folder that is uploaded to Lambda. It contains `index.cjs`. */
  directory: string;
  bytes: number;
  /** The files beside `index.cjs` that a function imports only when it needs them. */
  lateParts: readonly { file: string; bytes: number }[];
  /** The source files of the bundle, relative to the repository. */
  inputs: readonly string[];
}

/**
 * Files that a function imports only when it needs them, by function name. Each file is a separate bundle with all its
 * dependencies. If bundles had modules in common, esbuild would wrap these modules and keep unused code, and importing
 * the function would take 10 % longer. Each bundle has its own copy of every class, so only plain values may be passed
 * between two bundles.
 */
const lateParts: Record<string, readonly string[]> = {
  'serve-object': ['lib/lambda/edge/exchange.ts'],
  'shape-response': ['lib/lambda/edge/storage-reports.ts'],
};

/** The browser code of the site, as a deployment builds it. */
export interface SiteBundle {
  entries: SiteEntries;
  /** The folder to upload. It contains only the site's files and its logo. */
  directory: string;
  logoFile?: string | undefined;
}

/** The bundles of all functions, by function name. */
export type FunctionBundles = ReadonlyMap<string, FunctionBundle>;

/**
 * Bundles every file `functions/<group>/<name>.ts`. The bundles contain the AWS SDK, because the SDK that Lambda
 * provides may have any version.
 */
export async function bundleFunctions(edgeConfig: EdgeConfig, outputDirectory: string): Promise<FunctionBundles> {
  const entries = functionFiles();
  const buildGroups = (isIn: (group: string) => boolean, target: string, plugins: Plugin[]) =>
    buildFunctions(
      entries.filter(({ group }) => isIn(group)),
      edgeConfig,
      outputDirectory,
      { target, plugins: [importLate, ...plugins] },
    );
  const [made] = await Promise.all([
    Promise.all([
      buildGroups((group) => group === 'edge', `node${edgeNodeVersion}`, [useSmallZod]),
      buildGroups((group) => group === 'pages', 'node24', [useSmallZod]),
      buildGroups((group) => group !== 'edge' && group !== 'pages', 'node24', []),
    ]),
    installNativeModule(repository, path.join(outputDirectory, 'count-usage')),
  ]);
  const bundles = new Map(made.flat().map((bundle) => [bundle.name, bundle]));
  return new Map(entries.map(({ name }) => [name, bundleOf(bundles, name)]));
}

async function buildFunctions(
  entries: readonly FunctionFile[],
  edgeConfig: EdgeConfig,
  outputDirectory: string,
  { target, plugins }: { target: string; plugins: Plugin[] },
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
    // Use CommonJS. When an ES module imports `node:http`, Node resolves all its exports and therefore also loads fetch
    // and WebSocket. With 'esm', an import takes 20 % longer.
    format: 'cjs',
    platform: 'node',
    target,
    // Prefer the ES module builds of packages, because esbuild can remove unused code from them.
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: false,
    legalComments: 'none',
    define: { SLUICE_EDGE_CONFIG: JSON.stringify(edgeConfig) },
    // Leave out the event streams of the AWS SDK. Only some SDK operations load them, and no function calls these
    // operations.
    external: [nativeModule, '@smithy/core/event-streams'],
    metafile: true,
    logLevel: 'warning',
  });
  return entries.map((entry) => describeBundle(entry, outputDirectory, metafile));
}

/**
 * Replaces `zod` by its small version. The methods and the JSON Schema support of the full version took a quarter of a
 * cold start at the edge.
 */
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
    // Imports of `.ts` files are always in this project's own sources, because packages do not import `.ts` files.
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

/**
 * Builds the site's browser code and writes it to a folder.
 *
 * @param outputDirectory the folder, which is created
 */
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

/**
 * Returns the bundle of a function.
 *
 * @throws Error when `functions/` has no file of that name
 */
export function bundleOf(bundles: FunctionBundles, name: string): FunctionBundle {
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`there is no file functions/<group>/${name}.ts`);
  return bundle;
}
