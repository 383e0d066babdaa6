import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newApiKey } from '../../../lib/domain/accounts/api-keys.ts';
import { deriveApiKeySecret } from '../../../lib/domain/secrets/api-key-secrets.ts';
import { activeVersion, type SecretVersion } from '../../../lib/domain/secrets/secret-versions.ts';
import { forThisTest } from '../../service/test-service.ts';
import { made, signUp } from '../users.ts';

const version = (number: number, created_at: number): SecretVersion => ({
  version: number,
  key: randomBytes(32),
  created_at,
});

describe('the version of the master secret for new keys', () => {
  const [first, second] = [version(1, 0), version(2, 1_000_000)];

  test.each([
    ['the older, while the newer is younger than ten minutes', 1_000_000 + 599_999, 1],
    ['the newer from then on', 1_000_000 + 600_000, 2],
    ['the oldest, when none is old enough', 0, 1],
  ])('is %s', (_, now, expected) => {
    expect(activeVersion([first, second], now, 600).version).toBe(expected);
  });
});

test('a request refuses a key that expires in the current millisecond and creates one that expires in the next', async () => {
  const services = {
    apiKeyMasters: async () => [version(1, 0)],
    random: { uuid: () => crypto.randomUUID(), bytes: (length: number) => randomBytes(length) },
  };
  const now = Date.parse('2030-01-01T00:00:00.000Z');
  const nobody = { caller: { kind: 'anonymous' }, roles: { account: undefined, repository: undefined } } as const;
  const key = (expires: string) => newApiKey({ account_id: 'ada', name: 'k', expires }, nobody, services, now);
  await expect(key('2030-01-01T00:00:00.000Z')).rejects.toMatchObject({ code: 'field_invalid' });
  expect((await key('2030-01-01T00:00:00.001Z')).record).toMatchObject({ disabled: false, secret_version: 1 });
});

test('a key stays valid after a rotation of the master secret, and ends with the version that signed it', async () => {
  const service = await forThisTest();
  const ada = await signUp(service, 'ada');
  const createdAt = service.services.clock();
  const [older, newer] = [version(1, 0), version(2, createdAt + 3_600_000)];
  let versions = [older];
  service.services.apiKeyMasters = async () => versions;
  const create = async () => {
    const expires = new Date(service.services.clock() + 86_400_000).toISOString();
    const { body } = await made(ada('POST', '/accounts/ada/api-keys', { name: 'k', expires }));
    return body;
  };
  const signIn = (key: { access_key_id: string; secret_access_key: string }) =>
    service.withAuthorization(`${key.access_key_id} ${key.secret_access_key}`)('GET', '/whoami');

  const before = await create();
  expect(before.secret_access_key).toBe(deriveApiKeySecret(older, before.access_key_id));
  versions = [older, newer];
  const during = await create();
  expect(during.secret_access_key).toBe(deriveApiKeySecret(older, during.access_key_id));
  service.advance(3_600 + 600);
  const after = await create();
  expect(after.secret_access_key).toBe(deriveApiKeySecret(newer, after.access_key_id));
  for (const key of [before, during, after]) expect((await signIn(key)).status).toBe(200);

  versions = [newer];
  expect((await signIn(before)).status).toBe(401);
  expect((await signIn(after)).status).toBe(200);
});
