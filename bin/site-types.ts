import { mkdirSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../lib/openapi/document.ts';
import { documentAsTypes } from '../lib/openapi/document-as-types.ts';
import { registry } from '../lib/operations/registry.ts';

// npm run types: writes the API's types for site/. They are generated each time, so that they are never out of date.
mkdirSync('site/made', { recursive: true });
writeFileSync('site/made/api.d.ts', documentAsTypes(openApiDocument(registry)));
