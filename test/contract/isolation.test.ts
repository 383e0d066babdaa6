import { expect, test } from 'vitest';
import { type Operation, routePath } from '../../lib/operations/operation.ts';
import { registry } from '../../lib/operations/registry.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { made, signUp, signUpAdmin } from '../functions/users.ts';
import { type Answer, type Client, testService } from '../service/test-service.ts';
import { exampleBody, filledPath, namesOf, unknownId } from './example-requests.ts';
import { usedConnection } from './fixture.ts';
import { buildNeighbour, itemsOf } from './two-accounts.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
const admin = await signUpAdmin(service);
await signUp(service, 'outsider');
await made(admin('POST', '/data-connections', usedConnection));
const ours = await buildNeighbour(service, admin, 'alpha');
const theirs = await buildNeighbour(service, admin, 'bravo');

/** Returns IDs that do not exist, both at the top level and below an account of either neighbor. */
const absentIds = (parameter: string) => [
  unknownId(parameter),
  ...(/^(?:account|service_account)_id$/.test(parameter) ? ['bravo-org--none'] : []),
];

/** Returns true when a path names an account. Connections have no owner, and every account may name each of them. */
const namesAnAccount = (operation: Operation) =>
  namesOf(operation).some((parameter) => parameter !== 'data_connection_id');
const guarded = registry.filter((operation) => namesAnAccount(operation) && operation.permission.kind !== 'anyone');
const open = registry.filter((operation) => namesAnAccount(operation) && operation.permission.kind === 'anyone');

test.for(guarded)('$name neither changes nor shows data of another account', async (operation) => {
  const before = await itemsOf(table, theirs);
  expect(Object.keys(before).length).toBeGreaterThan(40);
  for (const [who, client] of Object.entries(ours.callers)) {
    for (const alike of mixesOf(operation)) {
      const answers = await Promise.all(
        alike.map(
          async (path) => [`${who}: ${addressOf(operation, path)}`, await ask(operation, path, client)] as const,
        ),
      );
      // In each group, the same positions contain the caller's IDs, and the other positions contain foreign or unknown
      // IDs. The last path has only unknown IDs in the other positions.
      const toUnknown = answers.at(-1)?.[1];
      expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(answers.map(([asked]) => [asked, toUnknown])));
      expect(toUnknown).toMatchObject({ status: expect.toSatisfy((status) => status === 403 || status === 404) });
    }
  }
  expect(await itemsOf(table, theirs)).toEqual(before);
});

// Two requests for each caller and each combination of IDs: hundreds of requests in sequence.
const timeout = 180_000;
test.for(open)('$name shows only public data of another account', { timeout }, async (operation) => {
  for (const [who, client] of Object.entries(ours.callers)) {
    for (const path of mixesOf(operation).flat()) {
      const asked = `${who}: ${addressOf(operation, path)}`;
      const [answer, toAnyone] = [await ask(operation, path, client), await ask(operation, path, service.anyone)];
      expect({ asked, ...answer }).toEqual({ asked, ...toAnyone });
      expect(JSON.stringify(answer)).not.toContain('bravo-data');
    }
  }
});

type Path = Readonly<Record<string, string>>;

/**
 * Returns every combination of path parameters except those with only our IDs. Combinations with our IDs in the same
 * positions form a group, and must have the same answer. The last path of each group has unknown IDs in the other
 * positions.
 */
function mixesOf(operation: Operation): Path[][] {
  let mixes: { path: Path; pattern: string; rank: number }[] = [{ path: {}, pattern: '', rank: 0 }];
  for (const parameter of namesOf(operation)) {
    // A user may block any account. So this request names an account that belongs to neither neighbor.
    const values =
      parameter === 'blocked_account_id'
        ? [{ id: 'outsider', mine: 'outsider', rank: 0 }]
        : [
            ...(ours.ids[parameter] ?? []).map((id) => ({ id, mine: id, rank: 0 })),
            ...(theirs.ids[parameter] ?? []).filter((id) => id !== 'shared').map((id) => ({ id, mine: '?', rank: 1 })),
            ...absentIds(parameter).map((id) => ({ id, mine: '?', rank: 0 })),
          ];
    mixes = mixes.flatMap(({ path, pattern, rank }) =>
      values.map((value) => ({
        path: { ...path, [parameter]: value.id },
        pattern: `${pattern}/${value.mine}`,
        rank: rank + value.rank,
      })),
    );
  }
  const groups = Object.groupBy(
    mixes.filter(({ pattern }) => pattern.includes('?')),
    ({ pattern }) => pattern,
  );
  return Object.values(groups).map((group = []) => group.toSorted((a, b) => b.rank - a.rank).map(({ path }) => path));
}

function addressOf(operation: Operation, named: Path): string {
  return `${operation.method} ${filledPath(operation.path, operation, named)}`;
}

/** Returns an answer without the parts that may differ: the request's IDs and the request ID. */
async function ask(operation: Operation, named: Path, client: Client) {
  const path = filledPath(routePath(operation), operation, named);
  const answer: Answer = await client(operation.method, service.apiUrl + path, exampleBody(operation));
  const headers = [...answer.headers].filter(([name]) => !['date', 'content-length', 'apigw-requestid'].includes(name));
  const { request_id: _, ...shown } = { request_id: '', ...answer.body };
  const ids = Object.entries(named).toSorted(([, a], [, b]) => b.length - a.length);
  return {
    status: answer.status,
    text: ids.reduce(
      (text, [parameter, id]) => text.replaceAll(id, `{${parameter}}`),
      JSON.stringify([headers, Array.isArray(answer.body) ? answer.body : shown]),
    ),
  };
}
