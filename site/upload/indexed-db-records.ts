import type { SentPart } from '../data/multipart.ts';
import { createMemoryRecords, type RecordName, type UploadRecord, type UploadRecords } from './upload-records.ts';

const databaseName = 'sluice-uploads';
const databaseVersion = 1;

/** Storage may have dropped what is older, and a browser should not keep names of files for ever. */
const keptMs = 14 * 24 * 60 * 60 * 1000;

/** A folder or files that were dropped here, by the handles that give them again after a reload. */
export interface KeptDrop {
  owner: string;
  account_id: string;
  repository_id: string;
  /** Where in the repository they go. */
  folder: string;
  /** Of one folder: whether its name is part of the keys. As long as nobody chose otherwise, it is. */
  keepsFolder?: boolean;
  handles: FileSystemHandle[];
  at: number;
}

export interface BrowserRecords extends UploadRecords {
  keepDrop(drop: KeptDrop): Promise<void>;
  findDrop(name: Omit<RecordName, 'key'>): Promise<KeptDrop | undefined>;
  forgetDrop(name: Omit<RecordName, 'key'>): Promise<void>;
}

type StoreName = 'uploads' | 'parts' | 'drops';

/** Records in IndexedDB; in memory where the browser keeps nothing. */
export async function openRecords(now: () => number = Date.now): Promise<BrowserRecords> {
  const memory: BrowserRecords = {
    ...createMemoryRecords(),
    keepDrop: async () => undefined,
    findDrop: async () => undefined,
    forgetDrop: async () => undefined,
  };
  const database = await open().catch(() => undefined);
  if (database === undefined) return memory;

  const place = ({ owner, account_id, repository_id }: Omit<RecordName, 'key'>) => [owner, account_id, repository_id];
  const id = (name: RecordName) => [...place(name), name.key];
  const below = (key: IDBValidKey[]) => IDBKeyRange.bound(key, [...key, []]);

  /** A full disk costs the memory of an upload, never the upload. */
  const ask = <T>(names: StoreName[], mode: IDBTransactionMode, act: (transaction: IDBTransaction) => IDBRequest<T>) =>
    request(() => act(database.transaction(names, mode))).catch(() => undefined);

  const records: BrowserRecords = {
    find: async (name) =>
      readRecord(await ask(['uploads'], 'readonly', (all) => all.objectStore('uploads').get(id(name)))),
    list: async (name) => {
      const all = await ask(['uploads'], 'readonly', (of) => of.objectStore('uploads').getAll(below(place(name))));
      return (all ?? []).map(readRecord).filter((record) => record !== undefined);
    },
    save: async (record) => {
      await ask(['uploads', 'parts'], 'readwrite', (all) => {
        all.objectStore('parts').delete(below(id(record)));
        return all.objectStore('uploads').put(record, id(record));
      });
    },
    savePart: async (record, part) => {
      await ask(['parts'], 'readwrite', (all) => all.objectStore('parts').put(part, [...id(record), part.number]));
    },
    parts: async (record) =>
      ((await ask(['parts'], 'readonly', (all) => all.objectStore('parts').getAll(below(id(record))))) ??
        []) as SentPart[],
    remove: async (name) => {
      await ask(['uploads', 'parts'], 'readwrite', (all) => {
        all.objectStore('parts').delete(below(id(name)));
        return all.objectStore('uploads').delete(id(name));
      });
    },
    keepDrop: async (drop) => {
      await ask(['drops'], 'readwrite', (all) => all.objectStore('drops').put(drop, place(drop)));
    },
    findDrop: async (name) => {
      const drop: KeptDrop | undefined = await ask(['drops'], 'readonly', (all) =>
        all.objectStore('drops').get(place(name)),
      );
      return drop !== undefined && now() - drop.at < keptMs ? drop : undefined;
    },
    forgetDrop: async (name) => {
      await ask(['drops'], 'readwrite', (all) => all.objectStore('drops').delete(place(name)));
    },
  };

  function readRecord(found: UploadRecord | undefined): UploadRecord | undefined {
    if (found === undefined) return undefined;
    if (now() - found.startedAt < keptMs) return found;
    void records.remove(found);
    return undefined;
  }

  return records;
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName, databaseVersion);
    opening.onupgradeneeded = () => {
      for (const name of ['uploads', 'parts', 'drops'] satisfies StoreName[]) opening.result.createObjectStore(name);
    };
    opening.onsuccess = () => {
      // Another tab with a later release may need it.
      opening.result.onversionchange = () => opening.result.close();
      resolve(opening.result);
    };
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error('another tab holds the database'));
  });
}

function request<T>(make: () => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const made = make();
    made.onsuccess = () => resolve(made.result);
    made.onerror = () => reject(made.error);
  });
}
