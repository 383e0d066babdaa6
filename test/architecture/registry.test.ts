import { describe, expect, it } from 'vitest';
import { operationId, routeKeys } from '../../lib/operations/operation.ts';
import { pages } from '../../lib/operations/pages.ts';
import { pathParameterNames, pathParameterSchemas } from '../../lib/operations/path-parameters.ts';
import { registry } from '../../lib/operations/registry.ts';
import { codeOf, sourceFiles } from './source-files.ts';

const operations = [...registry, ...pages];

/** Lambdas that are not operations of the management API. */
const others = [
  'functions/edge/exchange-credentials.ts',
  'functions/edge/serve-object.ts',
  'functions/edge/shape-response.ts',
  'functions/gateway/authorize-origin.ts',
  'functions/rotation/rotate-api-key-master.ts',
  'functions/rotation/rotate-origin-secret.ts',
  'functions/rotation/rotate-session-keys.ts',
  'functions/streams/follow-changes.ts',
  'functions/streams/invalidate-caches.ts',
  'functions/streams/propagate-access-change.ts',
  'functions/table/build-search-index.ts',
  'functions/table/count-usage.ts',
  'functions/table/run-repository-jobs.ts',
  'functions/table/refresh-issuer-keys.ts',
  'functions/table/report-user-issuer.ts',
];

describe('the registry', () => {
  it('lists exactly the files under functions/', () => {
    const expected = operations.map(({ group, name }) => `functions/${group}/${name}.ts`);
    expect(sourceFiles('functions/**').map((file) => file.path)).toEqual([...expected, ...others].sort());
  });

  it.each([
    ['name', operations.map(({ name }) => name)],
    ['operationId', operations.map(operationId)],
    ['route', operations.flatMap(routeKeys).map((key) => key.replace(/\{[^}]+\}/g, '{}'))],
  ])('has no %s twice', (_, values) => {
    const seen = new Set<string>();
    expect(values.filter((value) => seen.size === seen.add(value).size)).toEqual([]);
  });

  it('knows the form of every parameter in its paths', () => {
    const names = operations.flatMap(({ path }) => pathParameterNames(path));
    expect(names.filter((name) => pathParameterSchemas[name] === undefined)).toEqual([]);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'runs %s by its own file',
    (name, operation) => {
      const file = sourceFiles(`functions/${operation.group}`).find(({ path }) => path.endsWith(`/${name}.ts`));
      if (file === undefined) throw new Error(`functions/${operation.group}/${name}.ts is missing`);
      const declaring = ['lib/operations/registry.ts', 'lib/operations/operation.ts'];
      const ofOperations = file.imports.filter((imported) => imported.startsWith('lib/operations/'));
      expect(ofOperations.filter((imported) => !declaring.includes(imported))).toHaveLength(1);
      const id = operationId(operation);
      expect(codeOf(file)).toMatch(new RegExp(`import \\{[^}]*\\b${id}\\b[^}]*\\} from '[^']*/lib/operations/`));
      expect(codeOf(file)).toMatch(
        new RegExp(
          `export const handler = (?:api|connection|constant|doi|issuer|page|search|searchPage|session|signInPage|site)Function\\(\\s*${id},`,
        ),
      );
    },
  );
});
