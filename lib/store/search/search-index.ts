import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import {
  type SearchChange,
  type SearchChanges,
  type SearchIndexInUse,
  type SearchIndexReader,
  searchChangeSchema,
} from '../../domain/data/search-entries.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import { parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { decode, encode } from '../codec.ts';
import { keys } from '../keys.ts';
import { settleAll, TableStore } from '../table.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Maximum size of the content of one part of the search index. A DynamoDB item has at most 400 KB, including its other
 * attributes.
 */
const partBytesMax = 380_000;
/**
 * Maximum size of the search changes in one item, before compression. Even content that does not compress fits in the
 * item.
 */
const changesBytesMax = 300_000;
const dayMs = 86_400_000;
const afterEveryTime = '~';

const bytes = z.instanceof(Uint8Array);
const partRecord = z.object({ content: bytes });
const changesRecord = z.object({ sk: z.string(), content: bytes });
const countRecord = z.object({ count: z.int() });
const changesSchema = z.array(searchChangeSchema);
const indexRecord = z.object({
  index_id: z.string(),
  parts: z.int(),
  as_of: z.string(),
  repositories: z.int(),
  bytes: z.int(),
  before: z.object({ index_id: z.string(), parts: z.int() }).optional(),
});

/**
 * Stores the search index of the catalogue, compressed and divided into several items. Stores later changes of the
 * index in the batches in which the table's stream delivers them.
 */
export class SearchIndexStore extends TableStore implements SearchIndexReader {
  async findIndex(): Promise<SearchIndexInUse | undefined> {
    return this.table.find(indexRecord, keys.searchIndex());
  }

  async loadIndex({ index_id, parts }: SearchIndexInUse): Promise<Buffer | undefined> {
    // Send one request for each part of the index. A batch request returns at most 16 MB and could need another round
    // trip.
    const items = await Promise.all(
      Array.from({ length: parts }, (_, part) => this.table.get(keys.searchIndexPart(index_id, part))),
    );
    const contents = items.flatMap((item) => decode(partRecord, item)?.content ?? []);
    return contents.length === parts ? decompress(Buffer.concat(contents)) : undefined;
  }

  async changesFrom(time: string): Promise<ListPage<SearchChanges>> {
    const { pk, sk } = keys.searchChange(time, '');
    const range = { from: sk, to: afterEveryTime };
    const page = { limit: limits.listPageMax, after: undefined, roundTripsMax: 1 };
    const { items, next } = await this.table.partitionPage(pk, range, page);
    const read = items.map(async (item) => {
      const { sk: id, content } = decode(changesRecord, item);
      return { id, changes: changesSchema.parse(JSON.parse((await decompress(content)).toString())) };
    });
    return { items: await Promise.all(read), next };
  }

  /**
   * Returns the number of search changes since a time. Reads one page of results only, so the number can be too low.
   */
  async countChanges(time: string): Promise<number> {
    const { pk, sk } = keys.searchChange(time, '');
    const page = { limit: limits.listPageMax, after: undefined, roundTripsMax: 1 };
    const { items } = await this.table.partitionPage(pk, { from: sk, to: afterEveryTime }, page);
    return items.reduce((sum, item) => sum + decode(countRecord, item).count, 0);
  }

  /**
   * Writes search changes within `limits.searchChangeWriteMs`. `batchId` distinguishes two batches of the same
   * millisecond.
   */
  async recordChanges(changes: readonly SearchChange[], batchId: string, now: number): Promise<void> {
    const deleteAfter = now + limits.searchChangeRetentionDays * dayMs;
    const groups = inGroups(changes.map((change) => JSON.stringify(change)));
    await settleAll(
      groups.map(async (group, at) => {
        const key = keys.searchChange(toTimestamp(now), `${batchId}#${at}`);
        const content = await compress(`[${group.join(',')}]`);
        const item = encode('search_change', { content, count: group.length }, { key, deleteAfter });
        await this.table.put(item, limits.searchChangeWriteMs);
      }),
    );
  }

  /**
   * Makes the given search index the current one, unless a later index is current. Deletes the index before the
   * previous one.
   */
  async useIndex(encoded: Buffer, built: Pick<SearchIndexInUse, 'index_id' | 'as_of' | 'repositories'>): Promise<void> {
    const before = await this.table.find(indexRecord, keys.searchIndex());
    const content = await compress(encoded);
    const parts = Math.ceil(content.length / partBytesMax);
    const deleteAfter = parseTimestamp(built.as_of) + limits.searchIndexPartRetentionDays * dayMs;
    for (let part = 0; part < parts; part += 1) {
      const of = content.subarray(part * partBytesMax, (part + 1) * partBytesMax);
      const key = keys.searchIndexPart(built.index_id, part);
      await this.table.put(
        encode('search_index_part', { content: of }, { key, deleteAfter }),
        limits.searchChangeWriteMs,
      );
    }
    const used = await this.table.update(
      keys.searchIndex(),
      {
        set: {
          ...built,
          ...{ entity: 'search_index', parts, bytes: encoded.length },
          ...(before === undefined ? {} : { before: { index_id: before.index_id, parts: before.parts } }),
        },
      },
      { absentOrLessThan: { as_of: built.as_of } },
    );
    // Do not delete the previous index yet, because an instance may still load it. The next build deletes it.
    if (used !== undefined) await this.#remove(before?.before);
  }

  async #remove(index: { index_id: string; parts: number } | undefined): Promise<void> {
    if (index === undefined) return;
    await settleAll(
      Array.from({ length: index.parts }, (_, part) => this.table.delete(keys.searchIndexPart(index.index_id, part))),
    );
  }
}

function inGroups(texts: readonly string[]): string[][] {
  const groups: string[][] = [];
  let size = changesBytesMax;
  for (const text of texts) {
    size += Buffer.byteLength(text);
    if (size > changesBytesMax) {
      groups.push([]);
      size = Buffer.byteLength(text);
    }
    groups.at(-1)?.push(text);
  }
  return groups;
}
