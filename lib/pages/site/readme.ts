import type { ListedFile } from '../../domain/data/open-data.ts';

/** The maximum size of a README that pages read. */
export const readmeBytesMax = 256 * 1024;

/** Returns the README of a folder, which is one of the files in its list. */
export function findReadme(folder: string, files: readonly ListedFile[]): ListedFile | undefined {
  return files.find(({ key, bytes }) => bytes > 0 && /^readme\.(md|markdown)$/i.test(key.slice(folder.length)));
}
