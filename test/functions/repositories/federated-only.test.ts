import { expect, test } from 'vitest';
import { objectRefused, organization, privateRepository, serviceAccountFixture } from '../service-accounts/fixture.ts';
import { made } from '../users.ts';

const service = await serviceAccountFixture();
const account = await service.newServiceAccount();
const reader = await service.newServiceAccount();
await made(service.ada('PUT', `${reader.path}/grants/${privateRepository}`, { access: 'read' }));
const settings = `/repositories/${organization}/${privateRepository}/settings`;
const expires = '2999-01-01T00:00:00Z';

test('shows the keys that it would stop with their last use, and then refuses only writes of keys', async () => {
  const [used, revoked, unused] = [await account.issueKey(), await account.issueKey(), await account.issueKey('never')];
  await made(service.ada('DELETE', `${account.path}/keys/${revoked.key_id}`));
  const ofReader = await reader.issueKey();
  const ofRepository = await made(
    service.ada('POST', `/repositories/${organization}/${privateRepository}/api-keys`, { name: 'loader', expires }),
  );
  const credentials = await service.exchange(used.key);
  await service.write(credentials);
  const { body } = await service.ada('GET', settings);
  expect(body).toMatchObject({ federated_only: false, has_more: false });
  const shown = body.writing_keys.map((key: Record<string, unknown>) => key['key_id'] ?? key['access_key_id']);
  expect(shown).toEqual(expect.arrayContaining([used.key_id, unused.key_id, ofRepository.body.access_key_id]));
  expect([revoked.key_id, ofReader.key_id].filter((id) => shown.includes(id))).toEqual([]);
  const lastUse = (keyId: string) =>
    body.writing_keys.find((key: { key_id?: string }) => key.key_id === keyId).last_used_at;
  expect([lastUse(used.key_id), lastUse(unused.key_id)]).toEqual([expect.any(String), null]);
  expect(JSON.stringify(body)).not.toContain('hash');

  expect(await service.ada('PATCH', settings, { federated_only: true })).toMatchObject({
    status: 200,
    body: { federated_only: true },
  });
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = ofRepository.body;
  service.pass(61);
  await expect(service.write(credentials)).rejects.toMatchObject(objectRefused);
  await expect(service.write({ accessKeyId, secretAccessKey })).rejects.toMatchObject(objectRefused);
  await service.read(credentials);
  await service.read({ accessKeyId, secretAccessKey });
  await made(service.ada('PATCH', settings, { federated_only: false }));
  service.pass(61);
  await service.write(credentials);
});

test('the federated-only setting is in no public answer, and other changes of the repository preserve it', async () => {
  await made(service.ada('PATCH', settings, { federated_only: true }));
  const path = `/repositories/${organization}/${privateRepository}`;
  await made(service.ada('PUT', path, { meta: { title: 'Tides', description: '', tags: '' }, state: 'listed' }));
  expect((await service.ada('GET', settings)).body.federated_only).toBe(true);
  expect((await service.ada('GET', `${path}/overview`)).body.repository).not.toHaveProperty('federated_only');
});
