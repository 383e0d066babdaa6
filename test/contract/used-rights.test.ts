import { expect, test } from 'vitest';
import { registry } from '../../lib/operations/registry.ts';
import { connection, made, repository } from '../functions/users.ts';
import { type MatrixRow, matrixRows } from '../lib/domain/accounts/permissions/matrix.ts';
import { callerKinds } from '../lib/domain/accounts/permissions/matrix-shape.ts';
import { nameOfRight, secretRights } from '../service/enforced-rights.ts';
import { testService } from '../service/test-service.ts';
import { prepareRequest } from './authorization-requests.ts';
import { buildFixture, repositoryMeta } from './fixture.ts';

const service = await testService();
const fixture = await buildFixture(service);
// Moves the clock by 8 days, because new accounts may send only a few invitations a day.
service.advance(8 * 86_400);

const ofFullList = 'a list of keys that is full: test/functions/api-keys/lists-of-keys.test.ts';
const ofSearch = 'a search: test/functions/administration/administration.test.ts';

/** Rights that this fixture cannot use, and for each the test that uses it. */
const ofEndedWalk = 'a request after a walk: test/functions/repositories/inventory.test.ts';
const usedElsewhere: Readonly<Record<string, string>> = {
  'create-account-api-key DeleteItem': ofFullList,
  'create-repository-api-key DeleteItem': ofFullList,
  'issue-service-account-key DeleteItem': ofFullList,
  'update-data-connection DeleteItem':
    'a connection that leaves a bucket: test/functions/data-connections/data-connections.test.ts',
  'get-service-account Query of lists':
    'a sign-in that was refused: test/functions/service-accounts/refused-sign-ins.test.ts',
  'delete-account UpdateItem':
    'a user who leaves organizations with it: test/functions/accounts/account-deletion.test.ts',
  'list-account-repositories Query': 'a member, whose roles are read: test/functions/repositories/repositories.test.ts',
  'get-repository-settings Query':
    'a service account that may write: test/functions/repositories/federated-only.test.ts',
  'list-administrative-actions Query': ofSearch,
  'list-administrative-actions Query of sublists': ofSearch,
  'list-service-account-keys Query of lists':
    'a leaked key, whose grants are read: test/functions/service-accounts/ended-sessions.test.ts',
  'register-version-doi ConditionCheckItem': 'an account at DataCite: test/functions/versions/citations.test.ts',
  'register-version-doi PutItem': 'an account at DataCite: test/functions/versions/citations.test.ts',
  'register-version-doi UpdateItem': 'an account at DataCite: test/functions/versions/citations.test.ts',
  'request-inventory PutItem': ofEndedWalk,
  'request-inventory UpdateItem': ofEndedWalk,
  'report-found-keys UpdateItem': 'a partner whose keys are known: test/functions/public/report-found-keys.test.ts',
};

test('every declared right of an operation is used', async () => {
  for (const row of matrixRows) await carryOut(row);
  await carryOutMore();
  const declared = registry.flatMap((operation) => [
    ...operation.tableAccess.actions.map((action) => nameOfRight(operation.name, action)),
    ...operation.tableAccess.indexes.map((index) => nameOfRight(operation.name, 'Query', index)),
    ...(secretRights.get(operation.name) ?? []).map((right) => nameOfRight(operation.name, right)),
  ]);
  const unused = declared.filter((right) => !service.usedRights.has(right));
  expect(unused.sort()).toEqual(Object.keys(usedElsewhere).sort());
}, 900_000);

/** Sends requests for which the fixture has no resource in the right state. */
async function carryOutMore(): Promise<void> {
  const { manager, account_id, service_account_id } = fixture.place('organization');
  const { root } = fixture;
  await made(root('POST', '/data-connections', connection('sealed-store')));
  await made(root('GET', '/data-connections/sealed-store'));
  await made(root('PUT', '/data-connections/sealed-store', connection('sealed-store', { name: 'Renamed' })));
  await made(root('POST', '/data-connections/sealed-store/test', { access: 'read' }));
  await made(manager('POST', `/accounts/${account_id}/data-connections`, connection('own-sealed-store')));
  const spare = `/repositories/${account_id}/spare`;
  await made(
    manager('POST', `/repositories/${account_id}`, repository('spare', { data_connection_id: 'sealed-store' })),
  );
  await made(manager('PUT', spare, { meta: repositoryMeta, state: 'listed' }));
  await made(service.anyone('GET', '/repositories'));
  await made(service.anyone('GET', '/repositories?q=gauges'));
  await made(manager('PUT', `${spare}/data-mode`, { data_mode: 'private' }));
  // Both repositories are opened for the first time.
  for (const id of ['opened', 'enabled']) {
    const path = `/repositories/${account_id}/${id}`;
    const body = repository(id, { data_mode: 'private', data_connection_id: 'sealed-store' });
    await made(manager('POST', `/repositories/${account_id}`, body));
    if (id === 'enabled') await made(manager('POST', `${path}/disable`));
    await made(manager('PUT', `${path}/data-mode`, { data_mode: 'open' }));
    await made(manager('POST', `${path}/enable`));
  }
  const { body: version } = await made(manager('POST', `${spare}/versions`, { name: 'v1' }));
  await made(manager('POST', `${spare}/disable`));
  const confirmed = { confirm: `${account_id}/spare` };
  await made(manager('POST', `${spare}/delete`, { ...confirmed, withdraw_versions: true }));
  await made(manager('POST', `${spare}/restore`));
  await made(manager('POST', `${spare}/enable`));
  await fixture.makeReady(version);
  await made(manager('POST', `${spare}/versions/v1/withdraw`, { reason: 'The gauge was broken' }));
  await made(manager('POST', `${spare}/disable`));
  await made(manager('POST', `${spare}/delete`, confirmed));
  await made(root('DELETE', '/data-connections/sealed-store'));
  await made(manager('POST', `/service-accounts/${service_account_id}/disable`));
  await made(manager('POST', `/service-accounts/${service_account_id}/enable`));
}

async function carryOut(row: MatrixRow): Promise<void> {
  const permitted = callerKinds.filter((each) => row.verdicts.get(each) === 'allowed');
  // Sends the request as the first and the last allowed kind of caller. The first is a user, and the last is a key if
  // keys are allowed.
  for (const kind of new Set([permitted[0], permitted.at(-1)])) {
    if (kind === undefined || row.operation.kind === 'page') continue;
    const { method, path, body, as, undo } = await prepareRequest(fixture, row, kind);
    const client = as[kind] ?? fixture.as(kind, row.scope);
    await client(method, `${service.apiUrl}${path}`, body, { 'idempotency-key': `${row.name}-${kind}` });
    await undo?.();
  }
}
