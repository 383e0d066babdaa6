import { mkdirSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../lib/openapi/document.ts';
import { documentAsTypes } from '../lib/openapi/document-as-types.ts';
import { registry } from '../lib/operations/registry.ts';

// npm run types: writes the API's types for site/. They are generated each time, so that they are never out of date.
mkdirSync('site/generated', { recursive: true });
writeFileSync('site/generated/api.d.ts', documentAsTypes(openApiDocument(registry)));
