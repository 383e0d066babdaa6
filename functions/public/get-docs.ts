import { apiFunction } from '../../lib/deployed/api-function.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { referencePage } from '../../lib/openapi/page/page.ts';
import { getDocs } from '../../lib/operations/public.ts';
import { registry } from '../../lib/operations/registry.ts';

let page: string | undefined;

export const handler = apiFunction(getDocs, async () => {
  page ??= referencePage(openApiDocument(registry));
  return page;
});
