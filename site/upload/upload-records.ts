import type { SentPart } from '../data/multipart.ts';

/**
 * The browser's record of a multipart upload, used to resume it in a later tab. It contains no token and no file data.
 */
export interface UploadRecord {
  /** The signed-in account. Other accounts do not see the record. */
  owner: string;
  account_id: string;
  repository_id: string;
  key: string;
  uploadId: string;
  bytes: number;
  /** Modification time of the file, as the browser reports it. */
  modifiedAt: number;
  partBytes: number;
  startedAt: number;
}

export type RecordName = Pick<UploadRecord, 'owner' | 'account_id' | 'repository_id' | 'key'>;

/**
 * Records of uploads. A browser may have no space or store nothing in a private window. Reads then find no records, and
 * no call fails.
 */
export interface UploadRecords {
  find(name: RecordName): Promise<UploadRecord | undefined>;
  list(name: Omit<RecordName, 'key'>): Promise<UploadRecord[]>;
  save(record: UploadRecord): Promise<void>;
  /** Stores a part. Some storages list no checksums, so only this record identifies the part's content. */
  savePart(record: UploadRecord, part: SentPart): Promise<void>;
  parts(record: UploadRecord): Promise<SentPart[]>;
  remove(name: RecordName): Promise<void>;
  /**
   * Holds a record during its upload, because two uploads with one record would end each other's. Returns undefined if
   * it is already held.
   */
  hold(name: RecordName): Promise<Release | undefined>;
}

/** Returns the lock name of an upload, which all tabs share. */
export function holdNameOf({ owner, account_id, repository_id, key }: RecordName): string {
  return `sluice-upload ${JSON.stringify([owner, account_id, repository_id, key])}`;
}

export function createMemoryRecords(): UploadRecords {
  const records = new Map<string, { record: UploadRecord; parts: Map<number, SentPart> }>();
  return {
    find: async (name) => records.get(holdNameOf(name))?.record,
    list: async ({ owner, account_id, repository_id }) =>
      Array.from(records.values(), ({ record }) => record).filter(
        (record) =>
          record.owner === owner && record.account_id === account_id && record.repository_id === repository_id,
      ),
    save: async (record) => void records.set(holdNameOf(record), { record, parts: new Map() }),
    savePart: async (record, part) => void records.get(holdNameOf(record))?.parts.set(part.number, part),
    parts: async (record) => Array.from(records.get(holdNameOf(record))?.parts.values() ?? []),
    remove: async (name) => void records.delete(holdNameOf(name)),
    hold: (name) => hold(holdNameOf(name)),
  };
}

/** Releases the name. Resolves when another tab may take it. */
export type Release = () => Promise<void>;

/**
 * Reserves a name for this tab until it is released or the tab is closed. Returns undefined if this tab or another one
 * holds it. Insecure origins have no locks, so the reservation always succeeds there.
 */
export async function hold(name: string): Promise<Release | undefined> {
  const locks = locksOfOrigin();
  if (locks === undefined) return async () => undefined;
  return new Promise((resolve, reject) => {
    const given = Promise.withResolvers<void>();
    const over = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      resolve(() => {
        given.resolve();
        return over;
      });
      return given.promise;
    });
    over.catch(reject);
  });
}

/** Returns the names that all tabs of this browser hold. */
export async function heldNames(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locksOfOrigin()?.query()) ?? {};
  return new Set(held.map(({ name }) => name ?? ''));
}

function locksOfOrigin(): LockManager | undefined {
  return navigator.locks as LockManager | undefined;
}

const databaseName = 'sluice-uploads';
/** Drops of version 1 have no ID. */
const databaseVersion = 2;

/** Lifetime of a record. Storage may have removed older uploads, and a browser should not store file names forever. */
const keptMs = 14 * 24 * 60 * 60 * 1000;

/** Maximum number of drops per repository. The oldest are deleted first. */
const dropsMax = 20;

type PlaceName = Omit<RecordName, 'key'>;

/** Folders and files that were dropped together, as handles that give access again after a reload. */
export interface KeptDrop extends PlaceName {
  id: string;
  /** The target folder in the repository. */
  folder: string;
  /** For a single folder: true when its name is part of the keys. The default is true. */
  keepsFolder?: boolean;
  handles: FileSystemHandle[];
  at: number;
}

export interface BrowserRecords extends UploadRecords {
  keepDrop(drop: KeptDrop): Promise<void>;
  /** Returns the drops that no tab holds. */
  findDrops(name: PlaceName): Promise<KeptDrop[]>;
  /** Holds a drop until the tab is closed. */
  holdDrop(drop: KeptDrop): Promise<Release | undefined>;
  forgetDrop(drop: KeptDrop): Promise<void>;
}

const storeNames = ['uploads', 'parts', 'drops'] as const;

type StoreName = (typeof storeNames)[number];

/** Opens the records in IndexedDB, or in memory if the browser stores nothing. */
export async function openRecords(now: () => number = Date.now): Promise<BrowserRecords> {
  const memory: BrowserRecords = {
    ...createMemoryRecords(),
    keepDrop: async () => undefined,
    findDrops: async () => [],
    holdDrop: async () => undefined,
    forgetDrop: async () => undefined,
  };
  const database = await open().catch(() => undefined);
  if (database === undefined) return memory;

  const place = ({ owner, account_id, repository_id }: PlaceName) => [owner, account_id, repository_id];
  const id = (name: RecordName) => [...place(name), name.key];
  const idOfDrop = (drop: KeptDrop) => [...place(drop), drop.at, drop.id];
  const below = (key: IDBValidKey[]) => IDBKeyRange.bound(key, [...key, []]);

  /** A full disk prevents the record of an upload, but not the upload. */
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
    hold: memory.hold,
    keepDrop: async (drop) => {
      await ask(['drops'], 'readwrite', (all) => all.objectStore('drops').put(drop, idOfDrop(drop)));
      for (const old of (await allDrops(drop)).slice(0, -dropsMax)) await records.forgetDrop(old);
    },
    findDrops: async (name) => {
      const held = await heldNames();
      const found: KeptDrop[] = [];
      for (const drop of await allDrops(name)) {
        if (now() - drop.at >= keptMs) await records.forgetDrop(drop);
        else if (!held.has(holdNameOfDrop(drop))) found.push(drop);
      }
      return found;
    },
    holdDrop: (drop) => hold(holdNameOfDrop(drop)),
    forgetDrop: async (drop) => {
      await ask(['drops'], 'readwrite', (all) => all.objectStore('drops').delete(idOfDrop(drop)));
    },
  };

  /** Returns the oldest drop first. */
  async function allDrops(name: PlaceName): Promise<KeptDrop[]> {
    const all = await ask(['drops'], 'readonly', (of) => of.objectStore('drops').getAll(below(place(name))));
    return all ?? [];
  }

  function readRecord(found: UploadRecord | undefined): UploadRecord | undefined {
    if (found === undefined) return undefined;
    if (now() - found.startedAt < keptMs) return found;
    void records.remove(found);
    return undefined;
  }

  return records;
}

function holdNameOfDrop({ id }: KeptDrop): string {
  return `sluice-drop ${id}`;
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName, databaseVersion);
    opening.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion === 1) opening.transaction?.objectStore('drops').clear();
      else for (const name of storeNames) opening.result.createObjectStore(name);
    };
    opening.onsuccess = () => {
      // Closes the connection, because another tab may need to upgrade the database.
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
