import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  /** Path relative to the repository, such as `lib/http/pipeline.ts`. */
  path: string;
  /** `lib/<folder>`, or a folder of the root, such as `functions` or `bin`. */
  part: string;
  text: string;
  /** Imports of the file, including types: paths relative to the repository, or names of packages. */
  imports: string[];
}

/** Returns every TypeScript file that matches the pattern, such as `lib/**`, except generated files. */
export function sourceFiles(pattern: string): SourceFile[] {
  return globSync(`${pattern}/*.{ts,tsx}`)
    .filter((file) => !file.startsWith('site/generated/'))
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

/** Returns the part of the tree that contains a file, or undefined for a package. */
export function partOf(file: string): string {
  const [root = '', folder = ''] = file.split('/');
  return root === 'lib' ? `lib/${folder}` : root;
}

/** Returns static, type-only, side-effect, and dynamic imports, and re-exports. */
export function importedNames(text: string): string[] {
  const statements = text.matchAll(
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  );
  return [...statements].map(([, from, alone, dynamic]) => from ?? alone ?? dynamic ?? '');
}

/** Returns the text without comments, so that a word in a comment does not count as a use. */
export function codeOf({ text }: SourceFile): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
