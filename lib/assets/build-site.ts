import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { SiteEntries } from '../domain/site-assets.ts';

const repository = path.resolve(import.meta.dirname, '../..');

export interface BuiltSite {
  entries: SiteEntries;
  /** The content of the files, by their path below `assetsPath`. Each file name contains a hash of the content. */
  files: ReadonlyMap<string, Uint8Array>;
}

/**
 * Builds the browser code. Each file `site/<name>/index.ts` (or `.tsx`) is an entry point. Dynamic imports, and code
 * that several entry points use, become separate files. The files contain no settings of a deployment.
 */
export async function buildSite(): Promise<BuiltSite> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: repository,
    entryPoints: entryPoints(),
    plugins: [oneConsoleFile],
    // These codecs of zarrita need WebAssembly. The previews replace them before their first use.
    external: ['numcodecs/*'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: '.',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const files = outputFiles.map((file) => [path.basename(file.path), file.contents] as const);
  return { entries: describeEntries(metafile), files: new Map(files) };
}

/**
 * An esbuild plugin that puts the code of the console's first view into few files. Without it, esbuild creates a file
 * for each set of views that share code. The first view then had more than thirty files, which are larger when they are
 * compressed separately. Each view that loads later imports the first view.
 */
const oneConsoleFile: Plugin = {
  name: 'one-console-file',
  setup({ onResolve, onLoad }) {
    const console = path.join(repository, 'site/console');
    const firstView = path.join(console, 'app.tsx');
    const later = new Set<string>();
    onResolve({ filter: /^\..*\.tsx?$/ }, ({ kind, resolveDir, path: imported }) => {
      if (kind === 'dynamic-import' && resolveDir.startsWith(console)) later.add(path.resolve(resolveDir, imported));
      return undefined;
    });
    onLoad({ filter: /\.tsx?$/ }, async ({ path: file }) => {
      if (!later.has(file)) return undefined;
      const contents = `${await readFile(file, 'utf8')}\nimport ${JSON.stringify(firstView)};`;
      return { contents, loader: file.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** Returns the source files of the entry points, by the name of their folder. */
function entryPoints(): Record<string, string> {
  const files = globSync('site/*/index.{ts,tsx}', { cwd: repository }).sort();
  return Object.fromEntries(files.map((file) => [path.basename(path.dirname(file)), file]));
}

function describeEntries({ outputs }: Metafile): SiteEntries {
  const made = Object.entries(outputs).flatMap(([script, { entryPoint }]) => {
    const name = /^site\/([^/]+)\/index\.tsx?$/.exec(entryPoint ?? '')?.[1];
    return name === undefined ? [] : [[name, { script, preloads: importsOf(script, outputs) }] as const];
  });
  return Object.fromEntries(made);
}

/** Returns the name of a script, and of all scripts that it imports statically. */
export function withImports(files: BuiltSite['files'], name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = new TextDecoder().decode(files.get(name));
  for (const [, imported = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) withImports(files, imported, found);
  return found;
}

/** Returns the files that a file imports statically, either directly or through other files. */
export function importsOf(file: string, outputs: Metafile['outputs']): string[] {
  const found = new Set<string>();
  const look = (name: string) => {
    for (const { path: imported, kind } of outputs[name]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(imported)) continue;
      found.add(imported);
      look(imported);
    }
  };
  look(file);
  return [...found];
}
