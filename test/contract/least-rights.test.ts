import { expect, test } from 'vitest';
import { runAs } from '../../lib/local/functions.ts';
import { registry } from '../../lib/operations/registry.ts';
import { operationTableRights, otherTableRights, type TableRight } from '../../lib/operations/table-rights.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';
import { findMissingRight, RightMissing } from '../service/enforced-rights.ts';
import { startTestService } from '../service/test-service.ts';

const item = (pk: string) => ({ Key: { pk, sk: 'ANY' } });

// Every test service enforces the policies of a deployment. These tests show that it does.
test.each([
  ['get-account', 'GetItem', item('ACCOUNT#acme'), true],
  ['revoke-found-keys', 'UpdateItem', item('SERVICE_KEY#hash'), true],
  ['revoke-found-keys', 'UpdateItem', item('ACCOUNT#acme'), false],
  ['get-account', 'DeleteItem', item('ACCOUNT#acme'), false],
  ['list-data-connections', 'Query', { IndexName: 'lists' }, true],
  ['list-data-connections', 'Query', { IndexName: 'catalogue' }, false],
  ['exchange-credentials', 'UpdateItem', item('KEY_USE#hash'), true],
  ['exchange-credentials', 'UpdateItem', item('SERVICE_KEY#hash'), false],
  ['exchange-credentials', 'PutItem', { Item: { pk: 'AUDIT#acme', sk: 'ANY' } }, false],
  ['exchange-credentials', 'PutItem', { Item: { pk: 'SIGN_INS#acme', sk: 'ANY' } }, true],
  ['exchange-credentials', 'UpdateItem', item('ACCOUNT#acme'), false],
  ['exchange-credentials', 'UpdateItem', {}, false],
  ['serve-object', 'Query', queryOf('FEED#1'), true],
  ['serve-object', 'Query', queryOf('AUDIT#acme'), false],
  ['serve-object', 'GetItem', item('IDENTITY#hash'), false],
  ['serve-object', 'GetItem', item('API_KEY#SCAK'), true],
  ['exchange-credentials', 'GetItem', item('API_KEY#SCAK'), false],
  ['exchange-credentials', 'GetItem', item('SERVICE_KEY#hash'), true],
  ['serve-object', 'UpdateItem', item('KEY_USE#hash'), true],
  ['serve-object', 'UpdateItem', item('ACCOUNT#acme'), false],
  ['serve-object', 'PutItem', item('REPOSITORY#acme'), false],
  ['serve-object', 'TransactWriteItems', { TransactItems: [{ Put: { Item: { pk: 'FEED#1' } } }] }, false],
  ['get-account', 'TransactWriteItems', { TransactItems: [{ ConditionCheck: item('ACCOUNT#acme') }] }, false],
  ['a-function-without-rights', 'GetItem', item('ACCOUNT#acme'), false],
] as const)('the role of %s allows %s of %j: %s', (name, command, input, isAllowed) => {
  expect(findMissingRight(name, `${command}Command`, input) === undefined).toBe(isAllowed);
});

function queryOf(partition: string) {
  return { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': partition } };
}

test('a function that exceeds its policy fails the test', async () => {
  const service = await startTestService();
  const dataConnections = new DataConnectionStore(service.services.store.table);
  const list = () => dataConnections.list({ limit: 1, after: undefined });
  await runAs('list-data-connections', list);
  await expect(runAs('get-account', list)).rejects.toThrow(RightMissing);
  await expect(service.close()).rejects.toThrow(RightMissing);
});

test('a function that encrypts or decrypts connection credentials without the right fails its test', async () => {
  const service = await startTestService();
  const { connectionSecrets } = service.services;
  const authentication = { type: 's3_access_key', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'storage' } as const;
  const sealed = await runAs('create-data-connection', () => connectionSecrets.seal(authentication, 'store'));
  expect(await runAs('serve-object', () => connectionSecrets.open(sealed, 'store'))).toEqual(authentication);
  const others = [
    () => runAs('create-data-connection', () => connectionSecrets.open(sealed, 'store')),
    () => runAs('serve-object', () => connectionSecrets.seal(authentication, 'store')),
    () => runAs('get-account', () => connectionSecrets.open(sealed, 'store')),
    () => runAs('exchange-credentials', () => connectionSecrets.open(sealed, 'store')),
  ];
  for (const other of others) await expect(other()).rejects.toThrow(RightMissing);
  await expect(service.close()).rejects.toThrow(RightMissing);
});

test('a function that anyone may call has rights on partitions of the table only', () => {
  const openToAnyone = [
    ...registry.filter(({ ignoresAuthorization }) => ignoresAuthorization).map((each) => operationTableRights(each)),
    otherTableRights['exchange-credentials'],
    otherTableRights['serve-object'],
  ].flat() as TableRight[];
  expect(openToAnyone.filter(({ index, partitions }) => index === undefined && partitions === undefined)).toEqual([]);
  // No right relies on a condition for an index, because the IAM documentation does not cover it.
  const all = [...registry.map(operationTableRights), ...Object.values(otherTableRights)].flat() as TableRight[];
  expect(all.filter(({ index, partitions }) => index !== undefined && partitions !== undefined)).toEqual([]);
});

test('no public function may write audit events', () => {
  const openToAnyone: [string, readonly TableRight[]][] = [
    ...registry
      .filter(({ ignoresAuthorization, permission }) => ignoresAuthorization || permission.kind === 'anyone')
      .map((each): [string, TableRight[]] => [each.name, operationTableRights(each)]),
    ['exchange-credentials', otherTableRights['exchange-credentials']],
    ['serve-object', otherTableRights['serve-object']],
  ];
  expect(openToAnyone.length).toBeGreaterThan(10);
  const writing = openToAnyone.filter(([, rights]) => rights.some(writesAuditEvents)).map(([name]) => name);
  expect(writing).toEqual([]);
  expect(writesAuditEvents({ actions: ['PutItem'] })).toBe(true);
  expect(writesAuditEvents({ actions: ['UpdateItem'], partitions: ['ACCOUNT#', 'AUDIT#'] })).toBe(true);
});

function writesAuditEvents({ actions, partitions }: TableRight): boolean {
  const writes = actions.some((action) => /^(Put|Update|Delete)/.test(action));
  return writes && (partitions === undefined || partitions.some((each) => 'AUDIT#account'.startsWith(each)));
}

test('no function may scan or use an action that its entry does not name', () => {
  const granted = [...registry.map(operationTableRights), ...Object.values(otherTableRights)].flat();
  const actions = new Set(granted.flatMap(({ actions }) => [...actions]));
  expect([...actions].filter((action) => action.includes('*') || action.includes('Scan'))).toEqual([]);
});
