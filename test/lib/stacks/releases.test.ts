import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { registry } from '../../../lib/operations/registry.ts';
import { tableShape } from '../../../lib/store/table-shape.ts';
import { propertiesOf, synthesize } from './synthesized.ts';

/** The part of each release that the next release may change in small steps only. */
const releaseSchema = z.object({
  /** The indexes of the table. CloudFormation can create or delete only one index in an update. */
  indexes: z.array(z.string()),
  /** The groups of operations whose functions a stack has. */
  functions: z.record(z.string(), z.array(z.string())),
});
type Release = z.infer<typeof releaseSchema>;

const releases = z
  .record(z.string(), releaseSchema)
  .parse(JSON.parse(readFileSync('test/lib/stacks/releases.json', 'utf8')));
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** Returns what an upgrade from one release to the next would break. */
function faultsBetween(before: Release, after: Release): string[] {
  const missing = (from: readonly string[], other: readonly string[]) => from.filter((name) => !other.includes(name));
  const indexes = [...missing(before.indexes, after.indexes), ...missing(after.indexes, before.indexes)];
  const stacks = Object.entries(before.functions);
  const elsewhere = (stack: string, group: string, { functions }: Release) =>
    Object.entries(functions).some(([name, groups]) => name !== stack && groups.includes(group));
  const moved = stacks.flatMap(([stack, groups]) =>
    missing(groups, after.functions[stack] ?? [])
      // The release removes a group of operations, and all its functions, from the API.
      .filter((group) => elsewhere(stack, group, after) && !elsewhere(stack, group, before))
      .map((group) => `${group} leaves ${stack} before the routes point to its new functions`),
  );
  return [...(indexes.length > 1 ? [`the indexes ${indexes.join(', ')} change in one step`] : []), ...moved];
}

it('the current release is recorded with its indexes and the stacks of its functions', () => {
  const { api, apiOperations } = synthesize();
  const groupsIn = (template: typeof api) => {
    const names = propertiesOf(template, 'AWS::Lambda::Function').map(({ FunctionName }) => FunctionName);
    const placed = registry.filter(({ name }) =>
      names.some((each) => new RegExp(`^sluice-${name}(?:-\\d+)?$`).test(each)),
    );
    return [...new Set(placed.map(({ group }) => group))].sort();
  };
  expect(releases[version], 'write it into releases.json, below the earlier releases, which stay as they are').toEqual({
    indexes: tableShape.indexes.map(({ name }) => name),
    functions: { api: groupsIn(api), 'api-operations': groupsIn(apiOperations) },
  });
  expect(Object.keys(releases).at(-1)).toBe(version);
});

it('no release changes two indexes of the table, or moves functions in one step', () => {
  const all = Object.values(releases);
  for (const [at, after] of all.entries()) {
    const before = all[at - 1];
    if (before !== undefined) expect(faultsBetween(before, after)).toEqual([]);
  }
});

it.each<[string, Partial<Release>, RegExp | undefined]>([
  ['creates one index', { indexes: ['lists', 'names'] }, undefined],
  ['creates two indexes', { indexes: ['lists', 'names', 'more'] }, /names, more/],
  ['replaces an index', { indexes: ['names'] }, /lists, names/],
  ['copies functions', { functions: { api: ['accounts'], 'api-operations': ['accounts', 'session'] } }, undefined],
  ['moves functions', { functions: { api: [], 'api-operations': ['accounts', 'session'] } }, /accounts leaves api/],
  ['removes operations', { functions: { api: [], 'api-operations': ['session'] } }, undefined],
])('a release that %s is verified', (_, change, fault) => {
  const before: Release = { indexes: ['lists'], functions: { api: ['accounts'], 'api-operations': ['session'] } };
  const faults = faultsBetween(before, { ...before, ...change }).join();
  if (fault === undefined) expect(faults).toBe('');
  else expect(faults).toMatch(fault);
});

it('a release that removes the earlier copies of moved functions is accepted', () => {
  const both: Release = { indexes: [], functions: { api: ['accounts'], 'api-operations': ['accounts'] } };
  expect(faultsBetween(both, { ...both, functions: { 'api-operations': ['accounts'] } })).toEqual([]);
});
