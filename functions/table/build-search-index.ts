import { searchIndexFunction } from '../../lib/lambda/search-index.ts';

/** Builds the index by which the catalogue is searched, where enough has changed or it is old. */
export const handler = searchIndexFunction();
