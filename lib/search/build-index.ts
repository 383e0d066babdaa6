import type { RepositoryRecord } from '../domain/data/repositories.ts';
import type { SearchIndexInUse, SearchIndexReader } from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';
import type { RandomSource } from '../domain/random.ts';
import { type Clock, parseTimestamp, toTimestamp } from '../domain/time.ts';
import { entryOf } from './entry.ts';
import { encodeSegment, SegmentBuilder } from './segment.ts';

interface SearchIndexWriter extends Pick<SearchIndexReader, 'findIndex'> {
  countChanges(since: string): Promise<number>;
  useIndex(encoded: Buffer, index: Pick<SearchIndexInUse, 'index_id' | 'as_of' | 'repositories'>): Promise<void>;
}

export interface IndexBuilderServices {
  store: {
    repositoryLists: { wholeCatalogue(): AsyncIterable<readonly RepositoryRecord[]> };
    searchIndex: SearchIndexWriter;
  };
  clock: Clock;
  random: RandomSource;
}

/** Builds the catalogue's search index if a build is due. Returns false if no build is due. */
export async function buildIndexIfDue(services: IndexBuilderServices): Promise<boolean> {
  const { searchIndex } = services.store;
  const inUse = await searchIndex.findIndex();
  if (inUse !== undefined && !isDue(inUse, await searchIndex.countChanges(inUse.as_of), services.clock())) return false;
  await buildIndex(services);
  return true;
}

/** Returns true if the search index is old, or if there are many changes since its build. */
function isDue({ as_of }: SearchIndexInUse, changes: number, now: number): boolean {
  const ageMinutes = (now - parseTimestamp(as_of)) / 60_000;
  if (changes >= limits.searchChangesBeforeBuildMax || ageMinutes >= limits.searchIndexHoursMax * 60) return true;
  return changes > 0 && ageMinutes >= limits.searchIndexWithChangesMinutesMax;
}

/**
 * Builds a search index from the whole catalogue. The index contains even changes that the stream consumer missed. If
 * two builds run at the same time, the later one is used.
 */
export async function buildIndex({ store, clock, random }: IndexBuilderServices): Promise<number> {
  const as_of = toTimestamp(clock());
  const builder = new SegmentBuilder();
  for await (const repositories of store.repositoryLists.wholeCatalogue())
    for (const repository of repositories) builder.add(entryOf(repository));
  const index = { index_id: random.uuid(), as_of, repositories: builder.size };
  await store.searchIndex.useIndex(encodeSegment(builder.finish()), index);
  return builder.size;
}
