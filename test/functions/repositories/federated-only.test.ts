import { expect, test } from 'vitest';
import { made } from '../people.ts';
import { objectRefused, organization, privateRepository, serviceAccountWorld } from '../service-accounts/fixture.ts';

const world = await serviceAccountWorld();
const account = await world.newServiceAccount();
const reader = await world.newServiceAccount();
await made(world.ada('PUT', `${reader.path}/grants/${privateRepository}`, { access: 'read' }));
const settings = `/repositories/${organization}/${privateRepository}/settings`;
const expires = '2999-01-01T00:00:00Z';

test('shows the keys that it would stop with their last use, and then refuses writes of keys alone', async () => {
  const [used, revoked, unused] = [await account.issueKey(), await account.issueKey(), await account.issueKey('never')];
  await made(world.ada('DELETE', `${account.path}/keys/${revoked.key_id}`));
  const ofReader = await reader.issueKey();
  const ofRepository = await made(
    world.ada('POST', `/repositories/${organization}/${privateRepository}/api-keys`, { name: 'loader', expires }),
  );
  const credentials = await world.exchange(used.key);
  await world.write(credentials);
  const { body } = await world.ada('GET', settings);
  expect(body).toMatchObject({ federated_only: false, has_more: false });
  const shown = body.writing_keys.map((key: Record<string, unknown>) => key['key_id'] ?? key['access_key_id']);
  expect(shown).toEqual(expect.arrayContaining([used.key_id, unused.key_id, ofRepository.body.access_key_id]));
  expect([revoked.key_id, ofReader.key_id].filter((id) => shown.includes(id))).toEqual([]);
  const lastUse = (keyId: string) =>
    body.writing_keys.find((key: { key_id?: string }) => key.key_id === keyId).last_used_at;
  expect([lastUse(used.key_id), lastUse(unused.key_id)]).toEqual([expect.any(String), null]);
  expect(JSON.stringify(body)).not.toContain('hash');

  expect(await world.ada('PATCH', settings, { federated_only: true })).toMatchObject({
    status: 200,
    body: { federated_only: true },
  });
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = ofRepository.body;
  world.pass(61);
  await expect(world.write(credentials)).rejects.toMatchObject(objectRefused);
  await expect(world.write({ accessKeyId, secretAccessKey })).rejects.toMatchObject(objectRefused);
  await world.read(credentials);
  await world.read({ accessKeyId, secretAccessKey });
  await made(world.ada('PATCH', settings, { federated_only: false }));
  world.pass(61);
  await world.write(credentials);
});

test('is neither in public answers nor lost by other changes of the repository', async () => {
  await made(world.ada('PATCH', settings, { federated_only: true }));
  const path = `/repositories/${organization}/${privateRepository}`;
  await made(world.ada('PUT', path, { meta: { title: 'Tides', description: '', tags: '' }, state: 'listed' }));
  expect((await world.ada('GET', settings)).body.federated_only).toBe(true);
  expect((await world.ada('GET', `${path}/overview`)).body.repository).not.toHaveProperty('federated_only');
});
