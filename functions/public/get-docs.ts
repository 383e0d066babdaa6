import { createSiteDesign } from '../../lib/lambda/environment.ts';
import { constantFunction } from '../../lib/lambda/functions/constant-function.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { getDocs } from '../../lib/operations/public.ts';
import { registry } from '../../lib/operations/registry.ts';
import { referencePage } from '../../lib/pages/reference/page.tsx';

let page: ReturnType<typeof referencePage> | undefined;

export const handler = constantFunction(
  getDocs,
  async ({ services }) => {
    page ??= referencePage(openApiDocument(registry), services.site());
    return page;
  },
  createSiteDesign,
);
