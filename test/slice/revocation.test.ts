import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { issueServiceAccountKey } from '../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../lib/lambda/random.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { s3Client, signIn } from '../service/data-clients.ts';
import { expectProblem } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';

const service = await seededService();

const { service_account_id } = seedNames;
const malformed = 'API key is malformed; check that it was copied whole';

async function issueKey(): Promise<{ key: string; key_id: string }> {
  const ada = await service.person('ada');
  const issued = await ada('POST', `/service-accounts/${service_account_id}/keys`, { label: 'found', expiry: '30d' });
  return issued.body;
}

function revoke(body: unknown, headers: Record<string, string> = {}) {
  return service.anyone('POST', '/service-account-keys/revocations', body, headers);
}

async function foundEvents(key_id: string) {
  const { items } = await service.services.store.auditEvents.list('tide-institute', { limit: 100, after: undefined });
  return items.filter(
    ({ kind, subject }) => kind === 'service_account_key.revoked_as_found' && subject['key_id'] === key_id,
  );
}

test('a live, a revoked and an unknown key get the same answer for the same requests to the table', async () => {
  const { key } = await issueKey();
  const answers = [];
  for (const sent of [key, key, issueServiceAccountKey(systemRandom)]) {
    service.tableRequests.length = 0;
    const { status, headers, body } = await revoke({ key: sent });
    answers.push({
      status,
      body,
      headerNames: [...headers.keys()].sort(),
      type: headers.get('content-type'),
      requests: [...service.tableRequests],
    });
  }
  expect(answers[0]).toMatchObject({ status: 204, body: undefined, type: null, requests: ['UpdateItemCommand'] });
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

test('a revoked key signs in no more; credentials that it got before go on, as other keys do', async () => {
  const { key } = await issueKey();
  const credentials = await signIn(service, key);
  expect((await revoke({ key: ` ${key}\n` })).status).toBe(204);
  await expect(signIn(service, key)).rejects.toMatchObject({
    name: 'InvalidIdentityTokenException',
    message: expect.stringMatching(/^API key was not accepted \(request id [\w-]+\)$/),
    $metadata: { httpStatusCode: 400 },
  });
  const list = new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/' });
  expect((await s3Client(service, credentials).send(list)).$metadata.httpStatusCode).toBe(200);
  await signIn(service, service.key);
});

test('the owner finds one audit event of it, by its id and not by its key', async () => {
  const { key, key_id } = await issueKey();
  await revoke({ key });
  await revoke({ key });
  await expect.poll(() => foundEvents(key_id), { timeout: 20_000 }).toHaveLength(1);
  const [event] = await foundEvents(key_id);
  expect(event).toEqual({
    event_id: key_id,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    kind: 'service_account_key.revoked_as_found',
    account_id: 'tide-institute',
    actor: { account_id: null },
    subject: { service_account_id, key_id },
    request_id: '',
  });
});

test('an expired key is revoked as well', async () => {
  const { key, key_id } = await issueKey();
  service.advance(31 * 86_400);
  expect((await revoke({ key })).status).toBe(204);
  service.advance(-31 * 86_400);
  await expect.poll(() => foundEvents(key_id), { timeout: 20_000 }).toHaveLength(1);
});

test('nobody is asked for credentials, and those that are not valid do not matter', async () => {
  const { key } = await issueKey();
  expect((await revoke({ key }, { authorization: 'Bearer nonsense' })).status).toBe(204);
  await expect(signIn(service, key)).rejects.toThrow('API key was not accepted');
});

test.each<[string, (key: string) => unknown, string, string]>([
  ['a key cut short', (key) => ({ key: key.slice(0, -1) }), 'key', malformed],
  ['a key with a character more', (key) => ({ key: `${key}0` }), 'key', malformed],
  ['a key without its prefix', (key) => ({ key: key.slice(4) }), 'key', malformed],
  ['an empty key', () => ({ key: '' }), 'key', malformed],
  ['no key', () => ({}), '', 'send key, or access_key_id and secret_access_key'],
  ['a key that is no string', () => ({ key: 7 }), 'key', 'must be a text'],
  ['a list of keys', (key) => ({ key: [key] }), 'key', 'must be a text'],
  ['another field', (key) => ({ key, reason: 'found' }), '', 'has unknown fields: reason'],
])('a body with %s is refused without a request to the table', async (_, bodyOf, path, message) => {
  service.tableRequests.length = 0;
  expectProblem(await revoke(bodyOf(service.key)), {
    status: 400,
    code: 'field_invalid',
    detail: message === malformed ? message : `The request is not valid: ${path && `${path}: `}${message}`,
    errors: [{ path, message }],
  });
  expect(service.tableRequests).toEqual([]);
  await signIn(service, service.key);
});
