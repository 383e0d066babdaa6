import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { type OpenCatalogue, withCatalogueSearch } from '../../search/open-catalogue.ts';
import { createDeployedServices } from '../deployed-services.ts';
import type { SearchServices } from '../services.ts';
import { createDeployedPageServices, type PageServices } from '../site/page-services.ts';
import { apiFunctionWith } from './api-function.ts';
import { type PageFunctionOf, pageFunctionWith } from './page-function.ts';

/**
 * Creates the Lambda of an operation that searches the catalogue. Only this kind of Lambda of the API loads the search
 * index into memory.
 */
export function searchFunction<Op extends Operation>(operation: Op, run: Run<Op, SearchServices>) {
  return apiFunctionWith(async () => withCatalogueSearch(await createDeployedServices()), operation, run);
}

export type SearchPageServices = PageServices & OpenCatalogue;

/** Creates the Lambda of a page that searches the catalogue. No other page loads the search index into memory. */
export function searchPageFunction<Op extends Operation>(
  operation: Op,
  run: Run<Op, SearchPageServices>,
): PageFunctionOf<SearchPageServices> {
  const createServices = async () => withCatalogueSearch(await createDeployedPageServices());
  return pageFunctionWith(createServices, operation, run);
}
