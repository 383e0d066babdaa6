import { describe, expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';
import {
  addMember,
  connection,
  createOrganization,
  invite,
  made,
  repository,
  signUp,
  signUpAdmin,
  signUpFounder,
} from '../users.ts';

const service = await testService();
const admin = await signUpAdmin(service);
const owner = await signUpFounder(service, admin, 'owner');
const ofAll = await signUp(service, 'of-all');
const ofOne = await signUp(service, 'of-one');
const ofOther = await signUp(service, 'of-other');
await signUp(service, 'guest');
await createOrganization(owner, 'tides');
await made(admin('POST', '/data-connections', connection('store-one')));
for (const id of ['one', 'other']) await made(owner('POST', '/repositories/tides', repository(`rep-${id}`)));
await addMember(owner, 'tides', ofAll, 'of-all', 'maintainers');
await addMember(owner, 'tides/rep-one', ofOne, 'of-one', 'owners');
await addMember(owner, 'tides/rep-other', ofOther, 'of-other', 'maintainers');

describe('memberships in an organization and in a repository', () => {
  test('are in separate lists, with every state, oldest first', async () => {
    const revoked = await invite(owner, 'tides', 'guest', 'read_data');
    await made(owner('POST', `/memberships/${revoked}/revoke`));
    await invite(owner, 'tides', 'guest', 'write_data');
    const { body: ofAccount } = await owner('GET', '/accounts/tides/members');
    expect(ofAccount).toMatchObject([
      { account_id: 'owner', role: 'owners', state: 'member' },
      { account_id: 'of-all', role: 'maintainers', state: 'member' },
      { account_id: 'guest', role: 'read_data', state: 'revoked' },
      { account_id: 'guest', role: 'write_data', state: 'invited' },
    ]);
    const { body: ofRepository } = await owner('GET', '/repositories/tides/rep-one/members');
    expect(ofRepository).toMatchObject([{ account_id: 'of-one', repository_id: 'rep-one', state: 'member' }]);
    expect(ofAccount.every((membership: object) => !('repository_id' in membership))).toBe(true);
  });

  test('can exist at the same time for one account', async () => {
    const both = await signUp(service, 'both');
    for (const scope of ['tides', 'tides/rep-one', 'tides/rep-other']) {
      await addMember(owner, scope, both, 'both', 'read_data');
    }
    expect((await both('GET', '/whoami')).body.memberships).toHaveLength(3);
  });

  test('allow the last owner of a repository to leave, since its organization still has an owner', async () => {
    const only = await signUp(service, 'only-owner');
    await made(owner('POST', '/repositories/tides', repository('rep-left')));
    const id = await addMember(owner, 'tides/rep-left', only, 'only-owner', 'owners');
    expect((await only('POST', `/memberships/${id}/revoke`)).status).toBe(200);
  });
});
