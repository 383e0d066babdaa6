import * as z from 'zod';
import { searchOrders } from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';

/** What is searched for in the catalogue, by the API and by pages: a page carries nothing else of the operations of repositories. */
export const catalogueSearchFields = {
  q: z.string().max(limits.searchTextLengthMax).optional(),
  tag: z.string().max(limits.keywordLengthMax).optional(),
  account_id: z.string().max(limits.serviceAccountIdLengthMax).optional(),
  license: z.string().max(limits.licenseLengthMax).optional(),
  sort: z.enum(searchOrders).optional(),
};

/** Of a function that keeps the whole index in memory, and gets done what it computes in proportion to that. */
export const catalogueSearchMemoryMb = 1024;

export const catalogueTableAccess = {
  actions: ['BatchGetItem', 'GetItem', 'Query'],
  partitions: ['ACCOUNT#', 'REPOSITORY#', 'SEARCH#'],
} as const;
