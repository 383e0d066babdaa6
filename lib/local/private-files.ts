import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface PrivateFile {
  /** Without a directory, the text is created at each start. */
  directory: string | undefined;
  name: string;
  create: () => string | Promise<string>;
  /** Returns false for a stored text that must be created again. */
  isUsable?: (stored: string) => boolean;
}

/** Returns the text of a file that only the user can read. Creates it at first use. */
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
