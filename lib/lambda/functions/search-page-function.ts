import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { type OpenCatalogue, withCatalogueSearch } from '../../search/open-catalogue.ts';
import { createDeployedPageServices, type PageServices } from '../site/page-services.ts';
import { type PageFunctionOf, pageFunctionWith, type RenderRefusal } from './page-function.ts';

export type SearchPageServices = PageServices & OpenCatalogue;

/** Creates the Lambda of the search page. No other page loads the search index. */
export function searchPageFunction<Op extends Operation>(
  operation: Op,
  run: Run<Op, SearchPageServices>,
  renderRefusal: RenderRefusal,
): PageFunctionOf<SearchPageServices> {
  const createServices = async () => withCatalogueSearch(await createDeployedPageServices());
  return pageFunctionWith(createServices, operation, run, renderRefusal);
}
