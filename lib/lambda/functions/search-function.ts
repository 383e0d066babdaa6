import { createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { withCatalogueSearch } from '../../search/open-catalogue.ts';
import { createDeployedServices } from '../deployed-services.ts';
import type { SearchServices } from '../services.ts';
import { lazyFunction } from './lazy-function.ts';

/**
 * Creates the Lambda of an operation that searches the catalogue. No other Lambda of the API loads the search index.
 */
export function searchFunction<Op extends Operation>(operation: Op, run: Run<Op, SearchServices>) {
  return lazyFunction(
    (services: SearchServices) => createApiHandler(operation, run, services),
    async () => withCatalogueSearch(await createDeployedServices()),
  );
}
