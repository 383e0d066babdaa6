import { expect, test } from 'vitest';
import { forThisTest } from '../../service/test-service.ts';
import { signUp, signUpAdmin } from '../users.ts';

test('shows permissions for the data connections of the platform only in the own account of an administrator', async () => {
  const service = await forThisTest();
  const admin = await signUpAdmin(service);
  const ada = await signUp(service, 'ada');
  const own = (await admin('GET', '/whoami')).body.account.account_id;
  const ofConnections = async (client: typeof admin, account: string) => {
    const { body } = await client('GET', `/accounts/${account}/permissions`);
    return body.permissions.filter((id: string) => id.includes('DataConnection')).toSorted();
  };
  expect(await ofConnections(admin, own)).toEqual([
    'createAccountDataConnection',
    'createDataConnection',
    'deleteDataConnection',
    'disableDataConnection',
    'enableDataConnection',
    'listAccountDataConnections',
    'listAllDataConnections',
    'testDataConnection',
    'updateDataConnection',
  ]);
  expect(await ofConnections(admin, 'ada')).toEqual(['listAccountDataConnections']);
  expect(await ofConnections(ada, 'ada')).toEqual(['createAccountDataConnection', 'listAccountDataConnections']);
  expect(await ofConnections(ada, own)).toEqual([]);
  expect(await ofConnections(service.anyone, own)).toEqual([]);
});
