import type { BatchGetItemCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { roleArn } from '../../service/data-clients.ts';
import { postExchange, wireOf } from '../../service/raw-exchange.ts';
import { made } from '../people.ts';
import { day, organization, type ServiceAccountWorld, startServiceAccountWorld } from './fixture.ts';

/** Requests of the exchange to the table: command, number of items, and consistency. */
const requests: unknown[] = [];

function watch(client: DynamoDBClient) {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const tables = Object.values((args.input as BatchGetItemCommandInput).RequestItems ?? {});
        requests.push([commandName, ...tables.map(({ Keys, ConsistentRead }) => [Keys?.length, ConsistentRead])]);
        return next(args);
      },
    { step: 'initialize' },
  );
}

let world: ServiceAccountWorld;
beforeAll(async () => {
  world = await startServiceAccountWorld({ instrument: watch });
});
afterAll(() => world.close());

const reasons: Record<string, () => Promise<{ key: string; account: string }>> = {
  unknown: async () => ({ key: issueServiceAccountKey(systemRandom), account: (await world.newServiceAccount()).id }),
  revoked: async () => {
    const { id, path, issueKey } = await world.newServiceAccount();
    const { key, key_id } = await issueKey();
    await made(world.ada('DELETE', `${path}/keys/${key_id}`));
    return { key, account: id };
  },
  expired: async () => {
    const { id, issueKey } = await world.newServiceAccount();
    const { key } = await issueKey('30d');
    world.pass(30 * day);
    return { key, account: id };
  },
  'of a disabled account': async () => {
    const { id, path, issueKey } = await world.newServiceAccount();
    const { key } = await issueKey();
    await made(world.ada('POST', `${path}/disable`));
    return { key, account: id };
  },
  'of a deleted account': async () => {
    const { id, path, issueKey } = await world.newServiceAccount();
    const { key } = await issueKey();
    await made(world.ada('DELETE', path));
    return { key, account: id };
  },
  'of an account made again under the name': async () => {
    const { id, path, issueKey } = await world.newServiceAccount();
    const { key } = await issueKey();
    await made(world.ada('DELETE', path));
    const name = id.slice(`${organization}--`.length);
    await made(world.ada('POST', `/accounts/${organization}/service-accounts`, { name }));
    return { key, account: id };
  },
  // This case must be last, because its owner stays disabled.
  'of a disabled owner': async () => {
    const { id, issueKey } = await world.newServiceAccount();
    const { key } = await issueKey();
    await made(world.ada('DELETE', `/accounts/${organization}`));
    return { key, account: id };
  },
};

async function exchange(key: string, account: string) {
  requests.length = 0;
  const answer = await postExchange(world, { RoleArn: roleArn('FullAccess', account), WebIdentityToken: key });
  return { text: wireOf(answer), asked: [...requests] };
}

test('a key that is not accepted gets the same bytes and costs the same requests, whatever the reason and the role', async () => {
  // First the key, its last use, and two accounts, then two accounts.
  const twoReads = [
    ['BatchGetItemCommand', [4, true]],
    ['BatchGetItemCommand', [2, true]],
  ];
  const texts = new Map<string, string>();
  for (const [reason, prepare] of Object.entries(reasons)) {
    const { key, account } = await prepare();
    for (const named of [
      account,
      'tide-institute--nightly-sync',
      'nobody--nothing',
      organization,
      '000000000000',
      'X_y',
    ]) {
      const { text, asked } = await exchange(key, named);
      expect(asked, `${reason}, named ${named}`).toEqual(twoReads);
      texts.set(text, reason);
    }
  }
  expect([...texts.keys()]).toEqual([expect.stringMatching(/^\[400,.*InvalidIdentityToken.*API key was not accepted/)]);
}, 60_000);
