import { beforeEach, describe, expect, test } from 'vitest';
import {
  issueServiceAccountKey,
  malformedKeyMessage,
} from '../../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { expectProblem } from '../../service/error-answers.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { keyRefused, serviceAccountFixture } from '../service-accounts/fixture.ts';

let isDown = false;
const { requests, instrument } = watchRequests(() => {
  if (isDown) throw new Error('the database is down');
});
const service = await serviceAccountFixture({ instrument });
const account = await service.newServiceAccount();
beforeEach(() => {
  isDown = false;
  requests.length = 0;
});

const revoke = (body: unknown, headers: Record<string, string> = {}) =>
  service.anyone('POST', '/service-account-keys/revocations', body, headers);
const revokeMany = (keys: unknown) => service.anyone('POST', '/service-account-keys/revocations/batch', { keys });
const unknownKey = () => issueServiceAccountKey(systemRandom);
const stateOf = async (keyId: string) =>
  (await service.ada('GET', `${account.path}/keys`)).body.find((key: { key_id: string }) => key.key_id === keyId).state;

describe('one leaked key', () => {
  test('has the same request to the table if it is live, revoked, expired, or unknown', async () => {
    const live = await account.issueKey();
    const revoked = await account.issueKey();
    const expired = await account.issueKey();
    await service.ada('DELETE', `${account.path}/keys/${revoked.key_id}`);
    service.pass(31 * 86_400);
    const seen = [];
    for (const key of [live.key, revoked.key, expired.key, unknownKey()]) {
      requests.length = 0;
      const { status, body, headers } = await revoke({ key });
      const shapes = requests.map(({ command, input }) => {
        const { Key, ExpressionAttributeValues, ...rest } = input;
        return {
          command,
          ...rest,
          values: Object.keys(ExpressionAttributeValues as object),
          key: Object.keys(Key as object),
        };
      });
      seen.push({ status, body, length: headers.get('content-length'), shapes });
    }
    expect(seen[0]).toMatchObject({ status: 204, body: undefined });
    expect(seen[0]?.shapes.map(({ command }) => command)).toEqual(['UpdateItemCommand']);
    for (const each of seen) expect(each).toEqual(seen[0]);
    expect(await stateOf(live.key_id)).toBe('revoked');
    expect(await stateOf(expired.key_id)).toBe('revoked');
    service.pass(-31 * 86_400);
  });

  test('can be reported in twelve concurrent requests, as one key and as twelve keys', async () => {
    const { key } = await account.issueKey();
    const same = await Promise.all(Array.from({ length: 12 }, () => revoke({ key })));
    expect(same.map(({ status }) => status)).toEqual(Array(12).fill(204));
    const keys = await Promise.all(Array.from({ length: 6 }, () => account.issueKey()));
    const many = await Promise.all(
      [...keys.map((each) => each.key), ...Array.from({ length: 6 }, unknownKey)].map((each) => revoke({ key: each })),
    );
    expect(many.map(({ status }) => status)).toEqual(Array(12).fill(204));
    for (const each of keys) await expect(service.exchange(each.key)).rejects.toMatchObject(keyRefused);
  });

  test.each([(key: string) => `${key}\n`, (key: string) => `${key}\r\n`, (key: string) => `  ${key}\t`])(
    'can have white space at its ends, as in files and pasted text',
    async (paste) => {
      const { key, key_id } = await account.issueKey();
      expect((await revoke({ key: paste(key) })).status).toBe(204);
      expect(await stateOf(key_id)).toBe('revoked');
    },
  );

  test.each([
    ['cut short', (key: string) => key.slice(0, 39)],
    ['mistyped', (key: string) => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['with a space inside', (key: string) => `${key.slice(0, 20)} ${key.slice(20)}`],
    ['that is another secret', () => 'ghp_0123456789'],
    ['that is empty', () => ''],
  ])('gets a message with the part to check if it is malformed: %s', async (_, damage) => {
    const { key, key_id } = await account.issueKey();
    requests.length = 0;
    expectProblem(await revoke({ key: damage(key) }), {
      status: 400,
      code: 'field_invalid',
      detail: 'API key is malformed; check that it was copied whole',
      errors: [{ path: 'key', message: malformedKeyMessage }],
    });
    expect(requests).toEqual([]);
    expect(await stateOf(key_id)).toBe('active');
  });

  test('does not get 204 while the database fails, and can be revoked afterwards', async () => {
    const { key, key_id } = await account.issueKey();
    isDown = true;
    const answer = await revoke({ key });
    expect(answer.status).toBe(500);
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'request_id', 'status', 'title', 'type']);
    isDown = false;
    expect(await stateOf(key_id)).toBe('active');
    expect((await revoke({ key })).status).toBe(204);
  });

  test.each(['Bearer nonsense', 'SCAKAAAAAAAAAAAAAAAA wrong', 'x'])(
    'is revoked with any Authorization header (%j), which the operation does not read',
    async (authorization) => {
      const { key, key_id } = await account.issueKey();
      requests.length = 0;
      expect((await revoke({ key }, { authorization })).status).toBe(204);
      expect(requests).toHaveLength(1);
      expect(await stateOf(key_id)).toBe('revoked');
    },
  );
});

describe('many leaked keys', () => {
  test('are all revoked, up to a thousand, and the answer names malformed ones only by position', async () => {
    const live = await Promise.all([1, 2, 3].map(() => account.issueKey()));
    const keys = Array.from({ length: 1000 }, (_, index) => (index % 100 === 7 ? `sck_${index}` : unknownKey()));
    live.forEach(({ key }, index) => {
      keys[index * 400] = `${key}\n`;
    });
    const answer = await revokeMany(keys);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ malformed: [7, 107, 207, 307, 407, 507, 607, 707, 807, 907] });
    for (const { key_id } of live) expect(await stateOf(key_id)).toBe('revoked');
  }, 60_000);

  test('revoke nothing and send no request to the table if none is well formed', async () => {
    expect(await revokeMany(['', 'x', 'sck_'])).toMatchObject({ status: 202, body: { malformed: [0, 1, 2] } });
    expect(requests).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['more than a thousand', Array.from({ length: 1001 }, () => 'x')],
    ['none', []],
    ['no list', 'x'],
    ['something that is no text', [7]],
  ])('are refused if they are %s', async (_, keys) => {
    expect((await revokeMany(keys)).status).toBe(400);
    expect(requests).toEqual([]);
  });

  test('do not get 202 while the database fails', async () => {
    isDown = true;
    expect((await revokeMany([unknownKey()])).status).toBe(500);
  });
});
