import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface PrivateFile {
  /** The folder of the file. Without it, the text is created at each start and not stored. */
  directory: string | undefined;
  name: string;
  create: () => string | Promise<string>;
  /** Returns false for a stored text that must be replaced by a new one. */
  isUsable?: (stored: string) => boolean;
}

/** Returns the text in a file that only the user can read. Creates the text at the first use. */
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
