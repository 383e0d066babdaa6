import type { Run } from '../http/pipeline.ts';
import { withCatalogueSearch } from '../management/catalogue-search.ts';
import type { SearchServices } from '../management/services.ts';
import type { Operation } from '../operations/operation.ts';
import { lazyFunction } from './lazy-function.ts';
import { createPageHandler, type PageFunctionOf, type RenderRefusal } from './page-function.ts';
import { createDeployedPageServices, type PageServices } from './page-services.ts';

export type SearchPageServices = PageServices & Pick<SearchServices, 'searchCatalogue'>;

/** The Lambda of the page that searches: it alone of the pages carries the index. */
export function searchPageFunction<Op extends Operation>(
  operation: Op,
  run: Run<Op, SearchPageServices>,
  renderRefusal: RenderRefusal,
): PageFunctionOf<SearchPageServices> {
  return lazyFunction(
    (services: SearchPageServices) => createPageHandler(operation, run, renderRefusal, services),
    async () => withCatalogueSearch(await createDeployedPageServices()),
  );
}
