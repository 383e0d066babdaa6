import type { SentPart } from '../data/multipart.ts';
import { hold, type Release } from './holds.ts';

/** What this browser remembers of an upload in parts, so that it goes on after the tab was closed. No token, no byte of the file. */
export interface UploadRecord {
  /** The account that signed in: nobody else is shown it. */
  owner: string;
  account_id: string;
  repository_id: string;
  key: string;
  uploadId: string;
  bytes: number;
  /** The file's, as the browser tells it. */
  modifiedAt: number;
  partBytes: number;
  startedAt: number;
}

export type RecordName = Pick<UploadRecord, 'owner' | 'account_id' | 'repository_id' | 'key'>;

/** A browser may have no room, or keep nothing in a private window: then nothing is found, and nothing fails. */
export interface UploadRecords {
  find(name: RecordName): Promise<UploadRecord | undefined>;
  list(name: Omit<RecordName, 'key'>): Promise<UploadRecord[]>;
  save(record: UploadRecord): Promise<void>;
  /** Of storages that list no checksums, only this knows what a part was. */
  savePart(record: UploadRecord, part: SentPart): Promise<void>;
  parts(record: UploadRecord): Promise<SentPart[]>;
  remove(name: RecordName): Promise<void>;
  /** For as long as it is uploaded: two that send to one record would end each other's. Undefined where another does. */
  hold(name: RecordName): Promise<Release | undefined>;
}

/** As tabs tell one another what they upload. */
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
