import { globSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { EdgeConfig } from '../edge/config.ts';

const repository = path.resolve(import.meta.dirname, '../..');

export interface FunctionBundle {
  /** The name of the file under functions/, of the Lambda and, for operations, of the registry's entry. */
  name: string;
  group: string;
  /** Holds `index.cjs`, and is what is uploaded. */
  directory: string;
  bytes: number;
  /** Files that went in, relative to the repository. */
  inputs: readonly string[];
}

/** By function name. */
export type FunctionBundles = ReadonlyMap<string, FunctionBundle>;

/** Bundles every file `functions/<group>/<name>.ts` in one run, with the AWS SDK inside: a Lambda's own may be any version. */
export async function bundleFunctions(
  edgeConfig: EdgeConfig,
  outputDirectory = path.join(repository, 'dist/functions'),
): Promise<FunctionBundles> {
  const entries = functionFiles();
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: Object.fromEntries(entries.map(({ name, file }) => [`${name}/index`, file])),
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
  return new Map(entries.map((entry) => [entry.name, describeBundle(entry, outputDirectory, metafile)]));
}

export function functionFiles(): { name: string; group: string; file: string }[] {
  return globSync('functions/*/*.ts', { cwd: repository })
    .sort()
    .map((file) => ({ file, name: path.basename(file, '.ts'), group: path.basename(path.dirname(file)) }));
}

function describeBundle(
  { name, group, file }: { name: string; group: string; file: string },
  outputDirectory: string,
  metafile: Metafile,
): FunctionBundle {
  const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === file);
  if (output === undefined) throw new Error(`no bundle was made of ${file}`);
  return {
    name,
    group,
    directory: path.join(outputDirectory, name),
    bytes: output.bytes,
    inputs: Object.keys(output.inputs),
  };
}

/** @throws Error when functions/ has no file of that name */
export function bundleOf(bundles: FunctionBundles, name: string): FunctionBundle {
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`there is no file functions/<group>/${name}.ts`);
  return bundle;
}
