import { openApiDocument } from '../../lib/openapi/document.ts';
import { getOpenapi } from '../../lib/operations/public.ts';
import { registry } from '../../lib/operations/registry.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

let document: ReturnType<typeof openApiDocument> | undefined;

export const handler = apiFunction(getOpenapi, async () => {
  document ??= openApiDocument(registry);
  return { ...document };
});
