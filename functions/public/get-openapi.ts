import { constantFunction } from '../../lib/lambda/functions/constant-function.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { getOpenapi } from '../../lib/operations/public.ts';
import { registry } from '../../lib/operations/registry.ts';

let document: ReturnType<typeof openApiDocument> | undefined;

export const handler = constantFunction(getOpenapi, async () => {
  document ??= openApiDocument(registry);
  return { ...document };
});
