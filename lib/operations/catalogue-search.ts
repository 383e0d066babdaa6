import * as z from 'zod';
import { searchOrders } from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';

/** The query of a catalogue search. A page's bundle contains no other repository operations. */
export const catalogueSearchFields = {
  q: z.string().max(limits.searchTextLengthMax).optional(),
  tag: z.string().max(limits.keywordLengthMax).optional(),
  account_id: z.string().max(limits.serviceAccountIdLengthMax).optional(),
  license: z.string().max(limits.licenseLengthMax).optional(),
  sort: z.enum(searchOrders).optional(),
};

/** Memory of a function that loads the whole search index. Lambda's CPU share is proportional to the memory. */
export const catalogueSearchMemoryMb = 1024;

export const catalogueTableAccess = {
  actions: ['BatchGetItem', 'GetItem', 'Query'],
  partitions: ['ACCOUNT#', 'REPOSITORY#', 'SEARCH#'],
} as const;
