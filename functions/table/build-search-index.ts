import { searchIndexFunction } from '../../lib/lambda/search-index.ts';

/** Builds the search index of the catalogue if enough has changed or the current index is old. */
export const handler = searchIndexFunction();
