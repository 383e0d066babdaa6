import type { SentPart } from '../data/multipart.ts';

/**
 * The browser's record of a multipart upload, with which a later tab can resume it. It contains no token and no file
 * data.
 */
export interface UploadRecord {
  /** The account that was signed in during the upload. The page does not show the record to other accounts. */
  owner: string;
  account_id: string;
  repository_id: string;
  key: string;
  uploadId: string;
  bytes: number;
  /** The file's modification time, as the browser reports it. */
  modifiedAt: number;
  partBytes: number;
  startedAt: number;
}

export type RecordName = Pick<UploadRecord, 'owner' | 'account_id' | 'repository_id' | 'key'>;

type RepositoryName = Omit<RecordName, 'key'>;

/**
 * Folders and files that were dropped together, stored as handles. Handles give access to the files again after a
 * reload.
 */
export interface StoredDrop extends RepositoryName {
  id: string;
  /** The folder in the repository to which the files are uploaded. */
  folder: string;
  /** Set only for a single folder: true when the keys begin with the folder's name. The default is true. */
  keepsFolder?: boolean;
  handles: FileSystemHandle[];
  at: number;
}

type Kind = 'uploads' | 'parts' | 'drops';
type Key = readonly (string | number)[];

/**
 * Stores values under keys that are lists. Never rejects, because uploads must work even if the browser cannot store
 * anything.
 */
interface Store {
  /** Returns the values whose keys begin with the prefix, sorted by key. */
  all<Value>(kind: Kind, prefix: Key): Promise<Value[]>;
  put(kind: Kind, key: Key, value: unknown): Promise<void>;
  /** Removes the values whose keys begin with the prefix. */
  remove(kind: Kind, prefix: Key): Promise<void>;
}

/**
 * The lifetime of an upload record. After this time, storage may have removed the upload, and file names should not
 * stay in the browser.
 */
const lifetimeMs = 14 * 24 * 60 * 60 * 1000;

/** The maximum number of stored drops per repository. The oldest drops beyond it are deleted. */
const dropsMax = 20;

/** Opens the upload records in IndexedDB, or in memory if the browser has no storage. */
export async function openRecords(): Promise<UploadRecords> {
  return new UploadRecords(await openStore().catch(createMemoryStore));
}

/** The stored records of uploads and of dropped folders. */
export class UploadRecords {
  readonly #store: Store;

  constructor(store: Store = createMemoryStore()) {
    this.#store = store;
  }

  async find(name: RecordName): Promise<UploadRecord | undefined> {
    return (await this.#uploads(keyOf(name)))[0];
  }

  list(name: RepositoryName): Promise<UploadRecord[]> {
    return this.#uploads(prefixOf(name));
  }

  async save(record: UploadRecord): Promise<void> {
    await this.#store.remove('parts', keyOf(record));
    await this.#store.put('uploads', keyOf(record), record);
  }

  /**
   * Stores the record of an uploaded part, with its checksum. Some storage lists no checksums of parts, so only this
   * record shows which content the part has.
   */
  savePart(record: UploadRecord, part: SentPart): Promise<void> {
    return this.#store.put('parts', [...keyOf(record), part.number], part);
  }

  parts(record: UploadRecord): Promise<SentPart[]> {
    return this.#store.all('parts', keyOf(record));
  }

  async remove(name: RecordName): Promise<void> {
    await this.#store.remove('parts', keyOf(name));
    await this.#store.remove('uploads', keyOf(name));
  }

  /**
   * Reserves a record for this tab, because two uploads with the same record would abort each other. Returns undefined
   * if the record is already reserved.
   */
  hold(name: RecordName): Promise<Release | undefined> {
    return hold(holdNameOf(name));
  }

  async storeDrop(drop: StoredDrop): Promise<void> {
    await this.#store.put('drops', keyOfDrop(drop), drop);
    const drops = await this.#store.all<StoredDrop>('drops', prefixOf(drop));
    for (const old of drops.slice(0, -dropsMax)) await this.forgetDrop(old);
  }

  /** Returns the stored drops that no tab has reserved, oldest first. */
  async findDrops(name: RepositoryName): Promise<StoredDrop[]> {
    const held = await heldNames();
    const found: StoredDrop[] = [];
    for (const drop of await this.#store.all<StoredDrop>('drops', prefixOf(name))) {
      if (Date.now() - drop.at >= lifetimeMs) await this.forgetDrop(drop);
      else if (!held.has(holdNameOfDrop(drop))) found.push(drop);
    }
    return found;
  }

  /** Reserves a stored drop until the tab is closed. */
  holdDrop(drop: StoredDrop): Promise<Release | undefined> {
    return hold(holdNameOfDrop(drop));
  }

  forgetDrop(drop: StoredDrop): Promise<void> {
    return this.#store.remove('drops', keyOfDrop(drop));
  }

  async #uploads(prefix: Key): Promise<UploadRecord[]> {
    const records = await this.#store.all<UploadRecord>('uploads', prefix);
    const isOld = ({ startedAt }: UploadRecord) => Date.now() - startedAt >= lifetimeMs;
    for (const record of records) if (isOld(record)) void this.remove(record);
    return records.filter((record) => !isOld(record));
  }
}

function prefixOf({ owner, account_id, repository_id }: RepositoryName): Key {
  return [owner, account_id, repository_id];
}

function keyOf(name: RecordName): Key {
  return [...prefixOf(name), name.key];
}

function keyOfDrop(drop: StoredDrop): Key {
  return [...prefixOf(drop), drop.at, drop.id];
}

/** Returns the name of the lock that reserves an upload across all tabs. */
export function holdNameOf(name: RecordName): string {
  return `sluice-upload ${JSON.stringify(keyOf(name))}`;
}

function holdNameOfDrop({ id }: StoredDrop): string {
  return `sluice-drop ${id}`;
}

function createMemoryStore(): Store {
  const values = new Map<string, unknown>();
  const begins = (kind: Kind, prefix: Key) => {
    const start = JSON.stringify([kind, ...prefix]).slice(0, -1);
    return [...values].filter(([key]) => key === `${start}]` || key.startsWith(`${start},`));
  };
  return {
    all: async <Value>(kind: Kind, prefix: Key) => begins(kind, prefix).map(([, value]) => value as Value),
    put: async (kind, key, value) => void values.set(JSON.stringify([kind, ...key]), value),
    remove: async (kind, prefix) => {
      for (const [key] of begins(kind, prefix)) values.delete(key);
    },
  };
}

async function openStore(): Promise<Store> {
  const opening = indexedDB.open('sluice-uploads', 1);
  opening.onupgradeneeded = () => {
    for (const kind of ['uploads', 'parts', 'drops'] satisfies Kind[]) opening.result.createObjectStore(kind);
  };
  const database = await resultOf(opening);
  database.onversionchange = () => database.close();
  const ask = async <Value>(
    kind: Kind,
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest<Value>,
  ) => {
    try {
      return await resultOf(act(database.transaction(kind, mode).objectStore(kind)));
    } catch {
      return undefined;
    }
  };
  const below = (prefix: Key) => IDBKeyRange.bound(prefix, [...prefix, []]);
  return {
    all: async (kind, prefix) => (await ask(kind, 'readonly', (store) => store.getAll(below(prefix)))) ?? [],
    put: async (kind, key, value) => void (await ask(kind, 'readwrite', (store) => store.put(value, [...key]))),
    remove: async (kind, prefix) => void (await ask(kind, 'readwrite', (store) => store.delete(below(prefix)))),
  };
}

function resultOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Ends a reservation. Resolves when another tab can reserve the same name. */
export type Release = () => Promise<void>;

/**
 * Reserves a name for this tab, until it is released or the tab is closed. Returns undefined if this tab or another one
 * has already reserved it. Insecure origins have no locks, so every reservation succeeds there.
 */
async function hold(name: string): Promise<Release | undefined> {
  const locks = locksOfOrigin();
  if (locks === undefined) return async () => undefined;
  return new Promise((resolve, reject) => {
    const released = Promise.withResolvers<void>();
    const over = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      resolve(() => {
        released.resolve();
        return over;
      });
      return released.promise;
    });
    over.catch(reject);
  });
}

/** Returns the names that any tab of this browser has reserved. */
export async function heldNames(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locksOfOrigin()?.query()) ?? {};
  return new Set(held.map(({ name }) => name ?? ''));
}

function locksOfOrigin(): LockManager | undefined {
  return navigator.locks as LockManager | undefined;
}
