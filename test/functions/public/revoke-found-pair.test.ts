import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../lib/deployed/random.ts';
import { issueApiKeyId } from '../../../lib/domain/secrets/api-key-secrets.ts';
import { parseFoundToken } from '../../../lib/domain/secrets/found-keys.ts';
import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { secretsOfApiKeys } from '../../../lib/store/migrations/0006-secrets-of-api-keys.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { migrate } from '../../lib/store/open-store.ts';
import { type Client, startTestService, type TestService } from '../../service/test-service.ts';
import { made, signUp } from '../people.ts';
import { lookAtTable } from '../table-items.ts';

const requests: { command: string; input: Record<string, unknown> }[] = [];
let client: DynamoDBClient;
const table = lookAtTable();
let service: TestService;
let ada: Client;
beforeAll(async () => {
  service = await startTestService({
    tableName: table.tableName,
    instrument: (instrumented) => {
      client = instrumented;
      instrumented.middlewareStack.add(
        (next, { commandName }) =>
          (args) => {
            requests.push({ command: String(commandName), input: args.input as Record<string, unknown> });
            return next(args);
          },
        { step: 'initialize' },
      );
    },
  });
  ada = await signUp(service, 'ada');
});
afterAll(() => service.close());
beforeEach(() => {
  requests.length = 0;
});

interface Pair {
  access_key_id: string;
  secret_access_key: string;
}

const expires = () => new Date(service.services.clock() + 3_600_000).toISOString();
async function issue(): Promise<Pair> {
  const { body } = await made(ada('POST', '/accounts/ada/api-keys', { name: 'laptop', expires: expires() }));
  return { access_key_id: body.access_key_id, secret_access_key: body.secret_access_key };
}
const unknown = (): Pair => ({ access_key_id: issueApiKeyId(systemRandom), secret_access_key: 'a'.repeat(64) });
const revoke = (body: unknown) => service.anyone('POST', '/service-account-keys/revocations', body);
const revokeMany = (keys: unknown) => service.anyone('POST', '/service-account-keys/revocations/batch', { keys });
const signsIn = async ({ access_key_id, secret_access_key }: Pair) =>
  (await service.withAuthorization(`${access_key_id} ${secret_access_key}`)('GET', '/whoami')).status === 200;
const shapes = () =>
  requests.map(({ command, input }) => ({
    command,
    update: input['UpdateExpression'],
    condition: input['ConditionExpression'],
  }));

/** As an older release left it. */
async function withoutHash({ access_key_id }: Pair): Promise<void> {
  const { secret_hash, disabled_when_found, ...item } = (await table.find(`API_KEY#${access_key_id}`, 'API_KEY')) ?? {};
  // A table that this release made is finished from the start.
  await table.putAll([item, encodeFinished([])]);
}
const compare = () =>
  migrate({ client, tableName: table.tableName }, [secretsOfApiKeys], {
    apiKeyMasters: service.services.apiKeyMasters,
  });

describe('a found pair', () => {
  test('is answered alike, with one and the same request, whether it is live, revoked, unknown or half made up', async () => {
    const [live, revoked, other] = [await issue(), await issue(), await issue()];
    await made(ada('DELETE', `/api-keys/${revoked.access_key_id}`));
    const seen = [];
    for (const pair of [live, revoked, unknown(), { ...other, secret_access_key: 'b'.repeat(64) }]) {
      requests.length = 0;
      const { status, body } = await revoke(pair);
      seen.push({ status, body, shapes: shapes() });
    }
    expect(seen[0]).toMatchObject({ status: 204, body: undefined, shapes: [{ command: 'UpdateItemCommand' }] });
    for (const each of seen) expect(each).toEqual(seen[0]);
    expect([await signsIn(live), await signsIn(other)]).toEqual([false, true]);
  });

  test('is revoked with white space at its ends, and shown as revoked', async () => {
    const pair = await issue();
    const pasted = { access_key_id: ` ${pair.access_key_id}\n`, secret_access_key: `${pair.secret_access_key}\r\n` };
    expect((await revoke(pasted)).status).toBe(204);
    const { body } = await ada('GET', '/accounts/ada/api-keys');
    expect(body.find((key: Pair) => key.access_key_id === pair.access_key_id).disabled).toBe(true);
  });

  test.each<[string, (pair: Pair) => unknown]>([
    ['cut short', (pair) => ({ ...pair, secret_access_key: pair.secret_access_key.slice(1) })],
    ['of another service', (pair) => ({ ...pair, access_key_id: 'AKIAIOSFODNN7EXAMPLE' })],
    ['without its secret', ({ access_key_id }) => ({ access_key_id })],
    ['beside a key', (pair) => ({ ...pair, key: issueServiceAccountKey(systemRandom) })],
    ['that is nothing', () => ({})],
  ])('%s is refused and asks the table for nothing', async (_, damage) => {
    const pair = await issue();
    requests.length = 0;
    expect((await revoke(damage(pair))).status).toBe(400);
    expect(requests).toEqual([]);
    expect(await signsIn(pair)).toBe(true);
  });
});

describe('a pair of which an older release kept no hash', () => {
  test('is revoked by the migration, whatever else was reported of it', async () => {
    const [reported, innocent] = [await issue(), await issue()];
    for (const pair of [reported, innocent]) await withoutHash(pair);
    for (const letter of 'xyz') {
      for (const pair of [reported, innocent]) await revoke({ ...pair, secret_access_key: letter.repeat(64) });
    }
    expect((await revoke(reported)).status).toBe(204);
    expect([await signsIn(reported), await signsIn(innocent)]).toEqual([true, true]);
    expect((await compare()).unreadable).toEqual([]);
    expect([await signsIn(reported), await signsIn(innocent)]).toEqual([false, true]);
    for (const { access_key_id } of [reported, innocent]) {
      expect(await table.find(`API_KEY#${access_key_id}`, 'API_KEY')).not.toHaveProperty('reported_hashes');
    }
    await revoke(innocent);
    expect(await signsIn(innocent)).toBe(false);
  });

  test('keeps no more than a hundred reports', async () => {
    const pair = await issue();
    await withoutHash(pair);
    const made = Array.from({ length: 150 }, (_, index) => ({
      ...pair,
      secret_access_key: String(index).padStart(64, '0'),
    }));
    expect((await revokeMany(made)).status).toBe(202);
    for (const each of made.slice(0, 130)) await revoke(each);
    const item = await table.find(`API_KEY#${pair.access_key_id}`, 'API_KEY');
    expect(item?.['reported_hashes']).toHaveProperty('size', 100);
  });
});

describe('a batch', () => {
  const updates = () => requests.filter(({ command }) => command === 'UpdateItemCommand').length;

  test('takes both kinds, a thousand of them, and writes for twenty-five where a thousand are unknown', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) =>
      index % 2 === 0 ? unknown() : issueServiceAccountKey(systemRandom),
    );
    expect(await revokeMany(keys)).toMatchObject({ status: 202, body: { malformed: [] } });
    expect(updates()).toBe(25);
    expect(requests.length).toBe(35);
  });

  test('asks for the same whether some of it is live or nothing is', async () => {
    const pairs = await Promise.all([1, 2, 3].map(issue));
    const strangers = Array.from({ length: 60 }, unknown);
    const seen = [];
    for (const live of [pairs, []]) {
      requests.length = 0;
      expect((await revokeMany([...strangers, ...live, ...strangers.slice(0, 3)])).status).toBe(202);
      seen.push(requests.map(({ command }) => command).toSorted());
    }
    expect(seen[0]).toEqual(seen[1]);
    for (const pair of pairs) expect(await signsIn(pair)).toBe(false);
  });

  test('tells the malformed ones by their positions', async () => {
    const pair = await issue();
    const damaged = { ...pair, secret_access_key: 'short' };
    expect((await revokeMany(['x', pair, damaged])).body).toEqual({ malformed: [0, 2] });
    expect(await signsIn(pair)).toBe(false);
  });
});

test.each([' ', ':', ',', '\n'])('a scanning partner’s match is a pair with %j between its halves', (between) => {
  const { access_key_id, secret_access_key } = unknown();
  expect(parseFoundToken(`${access_key_id}${between}${secret_access_key}`)).toMatchObject({ access_key_id });
});
