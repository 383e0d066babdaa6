import * as z from 'zod';
import { searchOrders } from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';

/**
 * The query parameters of a catalogue search. They are in a separate module, so that the bundle of a page contains no
 * other repository operations.
 */
export const catalogueSearchFields = {
  q: z.string().max(limits.searchTextLengthMax).optional(),
  tag: z.string().max(limits.keywordLengthMax).optional(),
  account_id: z.string().max(limits.serviceAccountIdLengthMax).optional(),
  license: z.string().max(limits.licenseLengthMax).optional(),
  /** The extension of files that the repository contains, such as `csv`. */
  format: z.string().max(limits.searchFormatLengthMax).optional(),
  sort: z.enum(searchOrders).optional(),
};

/**
 * The memory of a function that loads the complete search index. Lambda gives a function CPU in proportion to its
 * memory.
 */
export const catalogueSearchMemoryMb = 1024;

export const catalogueTableAccess = {
  actions: ['BatchGetItem', 'GetItem', 'Query'],
  partitions: ['ACCOUNT#', 'REPOSITORY#', 'SEARCH#'],
} as const;
