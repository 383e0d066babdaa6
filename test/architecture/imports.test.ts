import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importedNames, partOf, type SourceFile, sourceFiles } from './source-files.ts';

const files = ['lib/**', 'functions/**', 'bin', 'site/**'].flatMap(sourceFiles);

/** The folders and single files that the files of each folder may import. Each folder may import its own files. */
const directions: Record<string, readonly string[]> = {
  'lib/domain': [],
  'lib/operations': ['lib/domain'],
  'lib/http': ['lib/domain', 'lib/operations'],
  'lib/openapi': ['lib/domain', 'lib/operations'],
  'lib/pages': ['lib/domain', 'lib/operations', 'lib/openapi'],
  'lib/store': ['lib/domain'],
  'lib/search': ['lib/domain'],
  'lib/sigv4': ['lib/domain'],
  'lib/sts': ['lib/domain', 'lib/sigv4'],
  'lib/s3': ['lib/domain', 'lib/sigv4'],
  'lib/edge': ['lib/domain', 'lib/store', 'lib/sigv4', 'lib/sts', 'lib/s3'],
  'lib/repository-jobs': ['lib/domain', 'lib/store', 'lib/s3', 'lib/edge/assumed-roles.ts'],
  'lib/issuers': ['lib/domain', 'lib/store', 'lib/s3/connection-test/probe.ts'],
  'lib/usage': ['lib/domain'],
  'lib/streams': ['lib/domain', 'lib/store', 'lib/search'],
  'lib/lambda': [
    'lib/domain',
    'lib/operations',
    'lib/http',
    'lib/store',
    'lib/search',
    'lib/sigv4',
    'lib/sts',
    'lib/s3',
    'lib/issuers',
    'lib/repository-jobs',
    'lib/edge',
    'lib/streams',
    'lib/usage',
    // The error page of each page function, and the pages of versions that cannot be read.
    'lib/pages/site/problem.tsx',
    'lib/pages/site/version-page.tsx',
  ],
  // The builds of the browser code and of the viewer functions read these files but do not import them.
  'lib/assets': ['lib/domain', 'lib/edge/viewer/events.ts'],
  'lib/stacks': [
    'lib/domain',
    'lib/assets',
    'lib/operations',
    'lib/store/table-shape.ts',
    'lib/edge/config.ts',
    'lib/edge/cache-policy.ts',
  ],
  'lib/local': [
    'lib/assets',
    'lib/pages',
    'lib/domain',
    'lib/operations',
    'lib/http',
    'lib/openapi',
    'lib/store',
    'lib/search',
    'lib/sigv4',
    'lib/sts',
    'lib/s3',
    'lib/issuers',
    'lib/repository-jobs',
    'lib/edge',
    'lib/streams',
    'lib/usage',
    'lib/lambda',
    'functions',
  ],
  functions: [
    'lib/domain',
    'lib/operations',
    'lib/http',
    'lib/openapi',
    'lib/pages',
    'lib/store',
    'lib/search',
    'lib/s3',
    'lib/issuers',
    'lib/repository-jobs',
    'lib/edge',
    'lib/streams',
    'lib/lambda',
  ],
  bin: ['lib/domain', 'lib/operations', 'lib/openapi', 'lib/local', 'lib/stacks', 'lib/lambda'],
  // Browser code knows the API only by types that are generated from its document.
  site: [
    'lib/pages',
    'lib/domain/xml.ts',
    'lib/domain/crc.ts',
    'lib/domain/limits.ts',
    'lib/domain/data/open-data.ts',
    'lib/domain/data/repository-versions.ts',
  ],
};

/**
 * The emulators. Each one emulates one service and can be replaced by that service. `lib/local/service.ts` composes
 * them.
 */
const emulators = ['api-gateway', 'cloudfront', 'dynamodb', 'oidc', 's3', 'sts'];
const helpersOfEmulators = ['ports', 'private-files', 'web-server'].map((name) => `lib/local/${name}.ts`);

/** Files or folders with an import cycle, which this test still accepts. The list must only become shorter. */
const knownCircles = ['site/console/'];

/** Packages that the folders without I/O may import. */
const packages: Record<string, readonly string[]> = {
  'lib/domain': ['lru-cache', 'spdx-expression-parse', 'zod', 'node:crypto'],
  'lib/operations': ['zod'],
  'lib/search': ['zod'],
  'lib/sigv4': ['node:crypto'],
  'lib/pages': ['node:crypto', 'markdown-it', 'preact', 'preact-render-to-string'],
};

describe('imports', () => {
  it('have a declared direction for each folder', () => {
    expect([...new Set(files.map(({ part }) => part))].filter((part) => directions[part] === undefined)).toEqual([]);
  });

  it.each(Object.keys(directions))('of %s follow the direction', (part) => {
    const allowed = [part, ...(directions[part] ?? [])];
    const wrong = importsOf(part, isOurs).filter(
      ({ imported }) => !allowed.includes(imported) && !allowed.includes(partOf(imported)),
    );
    expect(wrong).toEqual([]);
  });

  it.each(emulators)('of the emulator %s name only itself and small helpers, never another emulator', (name) => {
    const isHelper = (imported: string) => helpersOfEmulators.includes(imported);
    const wrong = importsOf('lib/local', (imported) => imported.startsWith('lib/local/')).filter(
      ({ file, imported }) =>
        file.startsWith(`lib/local/${name}/`) && !imported.startsWith(`lib/local/${name}/`) && !isHelper(imported),
    );
    expect(wrong).toEqual([]);
    expect(readFileSync(`lib/local/${name}/README.md`, 'utf8').split('\n').length).toBeLessThanOrEqual(20);
  });

  it('of the shared emulator helpers name no emulator', () => {
    const wrong = importsOf('lib/local', (imported) => emulators.some((name) => imported.includes(`local/${name}/`)));
    expect(wrong.filter(({ file }) => helpersOfEmulators.includes(file))).toEqual([]);
  });

  it.each(Object.entries(packages))('of %s name only packages without I/O: %s', (part, allowed) => {
    expect(importsOf(part, (name) => !isOurs(name)).filter(({ imported }) => !allowed.includes(imported))).toEqual([]);
  });

  it.each([
    [/^@aws-sdk\//, ['lib/store', 'lib/streams', 'lib/lambda', 'lib/local', 'bin']],
    [/^(?:aws-cdk-lib|constructs|esbuild)/, ['lib/assets', 'lib/stacks', 'bin']],
  ])('of packages that match %s stay in %s', (pattern, parts) => {
    const users = files.filter(({ imports }) => imports.some((name) => pattern.test(name)));
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ part }) => !parts.includes(part)).map((file) => file.path)).toEqual([]);
  });

  it('of production code need no development dependency', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { devDependencies: object };
    const builds = (file: SourceFile) => file.part === 'lib/stacks' || file.path === 'bin/app.ts';
    const needed = [...files, ...sourceFiles('bin/*')]
      .filter((file) => !builds(file))
      .flatMap(({ imports }) => imports);
    const isOf = (imported: string, name: string) => imported === name || imported.startsWith(`${name}/`);
    expect(needed).toContain('@aws-sdk/client-s3');
    expect(Object.keys(devDependencies).filter((name) => needed.some((imported) => isOf(imported, name)))).toEqual([]);
  });

  it('form no cycle', () => {
    expect(circles().filter((file) => !knownCircles.some((known) => file.startsWith(known)))).toEqual([]);
  });

  it('are found in every syntax', () => {
    const text = [
      "import type { A } from './a.ts';",
      'import {\n  b,\n} from "./b.ts";',
      "import './c.ts';",
      "export { d } from './d.ts';",
      "const e = await import('./e.ts');",
    ].join('\n');
    expect(importedNames(text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  });
});

function isOurs(imported: string): boolean {
  return partOf(imported) in directions;
}

function importsOf(part: string, isMeant: (imported: string) => boolean) {
  return files
    .filter((file: SourceFile) => file.part === part)
    .flatMap((file) => file.imports.filter(isMeant).map((imported) => ({ file: file.path, imported })));
}

/** Returns the files whose imports, directly or through other files, lead back to the file. */
function circles(): string[] {
  const importsByFile = new Map(files.map(({ path, imports }) => [path, imports]));
  const leadsBack = (start: string) => {
    const seen = new Set<string>();
    const next = [start];
    for (let file = next.pop(); file !== undefined; file = next.pop()) {
      for (const imported of importsByFile.get(file) ?? []) {
        if (imported === start) return true;
        if (!seen.has(imported)) next.push(imported);
        seen.add(imported);
      }
    }
    return false;
  };
  return [...importsByFile.keys()].filter(leadsBack);
}
