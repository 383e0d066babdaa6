import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { documentAsTypes } from '../../lib/openapi/document-as-types.ts';
import { registry } from '../../lib/operations/registry.ts';
import { codeOf, sourceFiles } from './source-files.ts';

const site = sourceFiles('site/**');

it('the types that the browser code is compiled with have every path of the API document', () => {
  const document = openApiDocument(registry);
  const types = documentAsTypes(document);
  const names = [...types.matchAll(/^ {2}"(\/[^"]*)": \{/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual(Object.keys(document.paths ?? {}).sort());
});

it('the browser code parses no text as HTML, runs no text, and opens no unchecked URL of another user', () => {
  const unsafe =
    /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|eval|new Function|document\.cookie|WebAssembly)\b/;
  expect(site.filter((file) => unsafe.test(codeOf(file))).map(({ path }) => path)).toEqual([]);
  const keeping = site.filter((file) => codeOf(file).includes('localStorage')).map(({ path }) => path);
  expect(keeping).toEqual(['site/sign-in/stored.ts']);
});

it('the browser code needs no development dependency', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
  const packages = site.flatMap(({ imports }) => imports).filter((name) => !/^(?:site|lib)\//.test(name));
  const isThere = (name: string) =>
    Object.keys(dependencies).some((each) => name === each || name.startsWith(`${each}/`));
  expect(packages.filter((name) => !isThere(name))).toEqual([]);
});
