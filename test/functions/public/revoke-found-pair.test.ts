import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { issueApiKeyId } from '../../../lib/domain/secrets/api-key-secrets.ts';
import { parseLeakedToken } from '../../../lib/domain/secrets/leaked-keys.ts';
import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { testService } from '../../service/test-service.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { made, signUp } from '../users.ts';

const { requests, instrument, commands } = watchRequests();
const service = await testService({ instrument });
const ada = await signUp(service, 'ada');
beforeEach(() => {
  requests.length = 0;
});

interface Pair {
  access_key_id: string;
  secret_access_key: string;
}

const expires = () => new Date(service.services.clock() + 3_600_000).toISOString();
async function issue(by = ada, account_id = 'ada'): Promise<Pair> {
  const { body } = await made(by('POST', `/accounts/${account_id}/api-keys`, { name: 'laptop', expires: expires() }));
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

describe('a leaked pair', () => {
  test('gets the same answer after the same write if it is valid, revoked, unknown, or partly wrong', async () => {
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
  ])('%s is refused without a read', async (_, damage) => {
    const pair = await issue();
    requests.length = 0;
    expect((await revoke(damage(pair))).status).toBe(400);
    expect(requests).toEqual([]);
    expect(await signsIn(pair)).toBe(true);
  });
});

const wellFormed = fc.record({
  access_key_id: fc.stringMatching(/^SCAK[A-Z2-7]{16}$/),
  secret_access_key: fc.stringMatching(/^[0-9A-Za-z]{64}$/),
});

test('an invented pair with any letters gets 204 after one request to the table', async () => {
  await fc.assert(
    fc.asyncProperty(wellFormed, async (pair) => {
      requests.length = 0;
      const { status, body } = await revoke(pair);
      expect({ status, body, commands: commands() }).toEqual({
        status: 204,
        body: undefined,
        commands: ['UpdateItemCommand'],
      });
    }),
    { numRuns: 50 },
  );
});

test('an invalid pair is refused without a read, and the throttle does not count it', async () => {
  const halves = fc.constantFrom('access_key_id', 'secret_access_key');
  const damaged = fc.oneof(
    fc
      .record({ pair: wellFormed, half: halves, at: fc.nat(63), by: fc.string({ unit: 'grapheme', minLength: 1 }) })
      .map(({ pair, half, at, by }) => {
        const text = pair[half as keyof Pair];
        return { ...pair, [half]: text.slice(0, at) + by + text.slice(at) };
      }),
    fc
      .record({ pair: wellFormed, half: halves, value: fc.jsonValue() })
      .map(({ pair, half, value }) => ({ ...pair, [half]: value })),
    fc.jsonValue(),
  );
  const isPair = (value: unknown) => {
    const { access_key_id, secret_access_key, ...others } = (value ?? {}) as Partial<Pair>;
    return (
      Object.keys(others).length === 0 &&
      typeof access_key_id === 'string' &&
      typeof secret_access_key === 'string' &&
      /^\s*SCAK[A-Z2-7]{16}\s*$/.test(access_key_id) &&
      /^\s*[0-9A-Za-z]{64}\s*$/.test(secret_access_key)
    );
  };
  await fc.assert(
    fc.asyncProperty(
      damaged.filter((value) => !isPair(value)),
      async (value) => {
        requests.length = 0;
        const { status } = await revoke(JSON.stringify(value));
        expect({ status, requests }).toEqual({ status: 400, requests: [] });
      },
    ),
    { numRuns: 200 },
  );
});

describe('a batch', () => {
  const updates = () => commands().filter((command) => command === 'UpdateItemCommand').length;

  test('can contain both kinds and a thousand entries, and writes twenty-five items if a thousand are unknown', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) =>
      index % 2 === 0 ? unknown() : issueServiceAccountKey(systemRandom),
    );
    expect(await revokeMany(keys)).toMatchObject({ status: 202, body: { malformed: [] } });
    expect(updates()).toBe(25);
    expect(requests.length).toBe(35);
  });

  test('sends the same requests for valid and for invalid keys', async () => {
    const pairs = await Promise.all([1, 2, 3].map(() => issue()));
    const strangers = Array.from({ length: 60 }, unknown);
    const seen = [];
    for (const live of [pairs, []]) {
      requests.length = 0;
      expect((await revokeMany([...strangers, ...live, ...strangers.slice(0, 3)])).status).toBe(202);
      seen.push(commands().toSorted());
    }
    expect(seen[0]).toEqual(seen[1]);
    for (const pair of pairs) expect(await signsIn(pair)).toBe(false);
  });

  test('names the malformed keys by their positions', async () => {
    const pair = await issue();
    const damaged = { ...pair, secret_access_key: 'short' };
    expect((await revokeMany(['x', pair, damaged])).body).toEqual({ malformed: [0, 2] });
    expect(await signsIn(pair)).toBe(false);
  });
});

test.each([' ', ':', ',', '\n'])('a match of the scanning partner is a pair with %j between its halves', (between) => {
  const { access_key_id, secret_access_key } = unknown();
  expect(parseLeakedToken(`${access_key_id}${between}${secret_access_key}`)).toMatchObject({ access_key_id });
});
