import type { BatchGetItemCommandInput } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { roleArn } from '../../service/data-clients.ts';
import { postExchange, wireOf } from '../../service/raw-exchange.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { made } from '../users.ts';
import { day, type NewServiceAccount, organization, serviceAccountFixture } from './fixture.ts';

const { requests, instrument } = watchRequests();
/** Returns the requests of the exchange to the table: command, number of items, and consistency. */
const askedOf = () =>
  requests.map(({ command, input }) => {
    const tables = Object.values((input as unknown as BatchGetItemCommandInput).RequestItems ?? {});
    return [command, ...tables.map(({ Keys, ConsistentRead }) => [Keys?.length, ConsistentRead])];
  });
const service = await serviceAccountFixture({ instrument });

/** Returns a key of a new service account, created after `act`. */
async function keyOfNew(act: (account: NewServiceAccount, key_id: string) => Promise<unknown>) {
  const account = await service.newServiceAccount();
  const { key, key_id } = await account.issueKey('30d');
  await act(account, key_id);
  return { key, account: account.id };
}

const reasons: Record<string, () => Promise<{ key: string; account: string }>> = {
  unknown: async () => ({ key: issueServiceAccountKey(systemRandom), account: (await service.newServiceAccount()).id }),
  revoked: () => keyOfNew(({ path }, key_id) => made(service.ada('DELETE', `${path}/keys/${key_id}`))),
  expired: () => keyOfNew(async () => service.pass(30 * day)),
  'of a disabled account': () => keyOfNew(({ path }) => made(service.ada('POST', `${path}/disable`))),
  'of a deleted account': () => keyOfNew(({ path }) => made(service.ada('DELETE', path))),
  'of an account created again under the name': () =>
    keyOfNew(async ({ id, path }) => {
      await made(service.ada('DELETE', path));
      const name = id.slice(`${organization}--`.length);
      await made(service.ada('POST', `/accounts/${organization}/service-accounts`, { name }));
    }),
  // This case must be last, because the owner of its service account stays disabled.
  'of a disabled owner': () => keyOfNew(() => made(service.ada('POST', `/accounts/${organization}/disable`))),
};

async function exchange(key: string, account: string) {
  requests.length = 0;
  const answer = await postExchange(service, { RoleArn: roleArn('FullAccess', account), WebIdentityToken: key });
  return { text: wireOf(answer), asked: askedOf() };
}

test('every refused key gets the same bytes after the same requests, for any reason and role', async () => {
  // The first read gets the key, its last use, and two accounts. The second read gets two accounts.
  const twoReads = [
    ['BatchGetItemCommand', [4, true]],
    ['BatchGetItemCommand', [2, true]],
  ];
  const texts = new Map<string, string>();
  for (const [reason, prepare] of Object.entries(reasons)) {
    const { key, account } = await prepare();
    const others = ['tide-institute--nightly-sync', 'nobody--nothing', organization, '000000000000', 'X_y'];
    for (const named of [account, ...others]) {
      const { text, asked } = await exchange(key, named);
      expect(asked, `${reason}, named ${named}`).toEqual(twoReads);
      texts.set(text, reason);
    }
  }
  expect([...texts.keys()]).toEqual([expect.stringMatching(/^\[400,.*InvalidIdentityToken.*API key was not accepted/)]);
}, 60_000);
