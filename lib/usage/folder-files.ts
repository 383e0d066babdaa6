import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { UsageFiles } from './run-usage.ts';

/**
 * Returns functions that read and write the files of the usage job in a local folder. The log files of a day are in
 * `logs/<day>/`.
 */
export function folderFiles(folder: string): UsageFiles {
  return {
    async listLogs(day) {
      const names = await readdir(path.join(folder, 'logs', day)).catch(() => []);
      return Promise.all(
        names.sort().map(async (name) => {
          const { size } = await stat(path.join(folder, 'logs', day, name));
          return { name: `logs/${day}/${name}`, bytes: size };
        }),
      );
    },
    async open(name) {
      const file = path.join(folder, name);
      return stat(file).then(
        () => file,
        () => undefined,
      );
    },
    // The usage job uses the files of the folder without a copy, so there is nothing to release.
    async release() {},
    async save(name, localPath) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await copyFile(localPath, file);
    },
  };
}
