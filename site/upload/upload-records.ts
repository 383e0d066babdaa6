import type { SentPart } from '../data/multipart.ts';
import { hold, type Release } from './holds.ts';

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
