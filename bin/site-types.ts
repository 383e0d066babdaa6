import { mkdirSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../lib/openapi/document.ts';
import { documentAsTypes } from '../lib/openapi/document-as-types.ts';
import { registry } from '../lib/operations/registry.ts';

// `npm run types` runs this script. It writes the types of the API for `site/`. They are generated at each build, so
// that they always match the API.
mkdirSync('site/generated', { recursive: true });
writeFileSync('site/generated/api.d.ts', documentAsTypes(openApiDocument(registry)));
