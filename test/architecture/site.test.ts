import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loader } from '../service/loader.ts';
import { codeOf, sourceFiles } from './source-files.ts';

const site = sourceFiles('site/**');

it('the browser code compiles with the types generated from the API document', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(run(...loader, 'bin/site-types.ts')).toMatchObject({ status: 0, stderr: '' });
  expect(run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.site.json')).toMatchObject({ status: 0, stdout: '' });
}, 180_000);

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
