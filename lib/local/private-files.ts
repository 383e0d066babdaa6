import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface PrivateFile {
  /** The folder that contains the file. Without a folder, each start creates new content and does not store it. */
  directory: string | undefined;
  name: string;
  create: () => string | Promise<string>;
  /** Returns false for a stored text that must be replaced by a new one. */
  isUsable?: (stored: string) => boolean;
}

/** Returns the content of a file that only its owner can read. The first call creates the content and the file. */
export async function openPrivateFile({
  directory,
  name,
  create,
  isUsable = () => true,
}: PrivateFile): Promise<string> {
  if (directory === undefined) return create();
  const file = path.join(directory, name);
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stored !== undefined && isUsable(stored)) return stored;
  const created = await create();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(file, created, { mode: 0o600 });
  return created;
}
