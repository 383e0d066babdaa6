import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  /** Relative to the repository: `lib/http/pipeline.ts`. */
  path: string;
  /** `lib/<folder>`, or the folder at the root: `functions`, `bin`. */
  part: string;
  text: string;
  /** What it imports, types too: paths relative to the repository, or the names of packages. */
  imports: string[];
}

/** Every TypeScript file that somebody wrote and that matches the pattern, `lib/**` for example. */
export function sourceFiles(pattern: string): SourceFile[] {
  return globSync(`${pattern}/*.{ts,tsx}`)
    .filter((file) => !file.startsWith('site/made/'))
    .sort()
    .map(read);
}

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const imports = importedNames(text).map((name) =>
    name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name,
  );
  return { path: file, part: partOf(file), text, imports };
}

/** The part of the tree that a file lies in, or undefined for a package. */
export function partOf(file: string): string {
  const [root = '', folder = ''] = file.split('/');
  return root === 'lib' ? `lib/${folder}` : root;
}

/** Static, type-only, side-effect and dynamic imports, and what is exported from elsewhere. */
export function importedNames(text: string): string[] {
  const statements = text.matchAll(
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  );
  return [...statements].map(([, from, alone, dynamic]) => from ?? alone ?? dynamic ?? '');
}

/** The text without comments, so that a word in one is no use of it. */
export function codeOf({ text }: SourceFile): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
