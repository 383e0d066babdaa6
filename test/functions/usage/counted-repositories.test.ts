import { expect, test } from 'vitest';
import { usageScopeOf } from '../../../lib/store/usage.ts';
import { testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { connection, made, repository, signUpTides } from '../users.ts';

const items = lookAtTable();
const service = await testService({ tableName: items.tableName });
const { admin, ada } = await signUpTides(service);
await made(admin('POST', '/data-connections', connection('store')));
const { usage } = service.services.store;

test('a repository keeps its usage after a transfer, also for reads under its old name', async () => {
  await made(ada('POST', '/repositories/tides', repository('gauges', { data_connection_id: 'store' })));
  const [before] = await usage.findRepositories([{ account_id: 'tides', repository_id: 'gauges' }]);
  const { body } = await made(ada('POST', '/repositories/tides/gauges/transfers', { to: 'ada' }));
  await made(ada('POST', `/transfers/${(body as { transfer_id: string }).transfer_id}/accept`));
  const names = ['tides', 'ada'].map((account_id) => ({ account_id, repository_id: 'gauges' }));
  const after = { ...before, owner: 'ada' };
  expect(await usage.findRepositories(names)).toEqual([after, after]);
  const record = await service.services.store.requestData.readRequestData({
    callerAccountId: undefined,
    scope: { account_id: 'ada', repository_id: 'gauges' },
    serviceAccountId: undefined,
    withForwarding: false,
  });
  expect(record.repository && usageScopeOf(record.repository)).toEqual({ repository_uid: before?.uid });
});

test('names without a repository, and texts that are no names, have no repository', async () => {
  const names = [
    ['tides', 'missing'],
    ['no-such-account', 'gauges'],
    ['../tides', 'x'],
    ['', '#'],
  ].map(([account_id = '', repository_id = '']) => ({ account_id, repository_id }));
  expect(await usage.findRepositories(names)).toEqual([undefined, undefined, undefined, undefined]);
});
