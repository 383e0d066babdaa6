import {
  addMember,
  createOrganization,
  invite,
  made,
  repository,
  signUp,
  signUpAdmin,
  signUpFounder,
} from '../functions/users.ts';
import type { SignerOptions } from '../lib/sigv4/signed-request.ts';
import { signIn } from '../service/data-clients.ts';
import type { Client, TestService } from '../service/test-service.ts';
import { issueKey } from './listing-fixture.ts';

/** Repositories by account and name. They use two connections to one store. */
const repositories = {
  'harbour/open-data': 'open',
  'harbour/for-members': 'subscription',
  'harbour/drafts': 'private',
  'harbour/beside': 'private',
  'harbour/frozen': 'private',
  'harbour/closed': 'open',
  'shut/open-data': 'open',
  'founder/own-drafts': 'private',
} as const;
export type Place = keyof typeof repositories;

/** Credentials by the name of the caller. Undefined for the anonymous caller. */
export type RightsCallers = Map<string, SignerOptions | undefined>;

/** Creates every kind of caller and repository, then disables some of them. */
export async function createRightsCallers(service: TestService): Promise<RightsCallers> {
  const admin = await signUpAdmin(service);
  const founder = await signUpFounder(service, admin, 'founder');
  await made(admin('PUT', '/accounts/founder/flags', ['create_organizations', 'create_repositories']));
  for (const organization of ['harbour', 'shut']) await createOrganization(founder, organization);
  await createRepositories(service, admin, founder);
  await made(admin('POST', '/accounts', { account_id: 'platform-job', account_type: 'service', profile: {} }));
  const stranger = await signUpFounder(service, admin, 'stranger');
  await createOrganization(stranger, 'lighthouse');
  const revoked = await issueKey(founder, '/accounts/founder');
  await made(founder('DELETE', `/api-keys/${revoked.accessKeyId}`));
  const soon = new Date(service.services.clock() + 60_000).toISOString();
  const gone = await signUp(service, 'gone');
  await addMember(founder, 'harbour', gone, 'gone', 'write_data');
  const callers: RightsCallers = new Map([
    ['anonymous', undefined],
    ['the user who owns', await issueKey(founder, '/accounts/founder')],
    ['the organization', await issueKey(founder, '/accounts/harbour')],
    ['the repository drafts', await issueKey(founder, '/repositories/harbour/drafts')],
    ['the repository open-data', await issueKey(founder, '/repositories/harbour/open-data')],
    ['an admin', await issueKey(admin, '/accounts/site-admin')],
    ['a platform service account', await issueKey(admin, '/accounts/platform-job')],
    ['another user', await issueKey(stranger, '/accounts/stranger')],
    ['another organization', await issueKey(stranger, '/accounts/lighthouse')],
    ['a revoked key', revoked],
    ['an expired key', await issueKey(founder, '/accounts/founder', soon)],
    ['a disabled user who is a member', await issueKey(gone, '/accounts/gone')],
  ]);
  await addMembers(service, founder, callers);
  await addSessions(service, founder, callers);
  await made(admin('POST', '/accounts/gone/disable'));
  await made(founder('POST', '/repositories/harbour/closed/disable'));
  await made(founder('POST', '/accounts/shut/disable'));
  await made(admin('DELETE', '/data-connections/frozen-store'));
  service.advance(61);
  return callers;
}

async function createRepositories(service: TestService, admin: Client, founder: Client): Promise<void> {
  const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;
  for (const data_connection_id of ['store', 'frozen-store']) {
    await made(
      admin('POST', '/data-connections', {
        data_connection_id,
        name: data_connection_id,
        read_only: false,
        allowed_data_modes: ['open', 'subscription', 'private'],
        details: { provider: 's3', bucket, base_prefix: `${data_connection_id}/`, region, endpoint },
        authentication: { type: 's3_access_key', access_key_id, secret_access_key },
      }),
    );
  }
  for (const [place, data_mode] of Object.entries(repositories)) {
    const [account, repository_id = ''] = place.split('/');
    const data_connection_id = repository_id === 'frozen' ? 'frozen-store' : 'store';
    const created = repository(repository_id, { data_mode, data_connection_id });
    await made(founder('POST', `/repositories/${account}`, created));
  }
}

async function addMembers(service: TestService, founder: Client, callers: RightsCallers): Promise<void> {
  for (const [kind, scope] of Object.entries({ account: 'harbour', repository: 'harbour/drafts' })) {
    const withKey = async (title: string, id: string) => {
      const user = await signUp(service, id);
      callers.set(title, await issueKey(user, `/accounts/${id}`));
      return user;
    };
    for (const role of ['owners', 'maintainers', 'write_data', 'read_data']) {
      const id = `${kind}-${role.replace('_', '-')}`;
      await addMember(founder, scope, await withKey(`${role} of the ${kind}`, id), id, role);
    }
    await withKey(`invited to the ${kind}`, `${kind}-invited`);
    await invite(founder, scope, `${kind}-invited`, 'owners');
    const left = await withKey(`revoked in the ${kind}`, `${kind}-left`);
    const membership = await addMember(founder, scope, left, `${kind}-left`, 'owners');
    await made(founder('POST', `/memberships/${membership}/revoke`));
  }
  const helper = await signUp(service, 'helper');
  await addMember(founder, 'founder', helper, 'helper', 'write_data');
  callers.set('write_data of the personal account', await issueKey(helper, '/accounts/helper'));
}

async function addSessions(service: TestService, founder: Client, callers: RightsCallers): Promise<void> {
  const grants = { 'for-members': 'read', drafts: 'read_write', frozen: 'read_write', closed: 'read_write' };
  const create = async (name: string) => {
    await made(founder('POST', '/accounts/harbour/service-accounts', { name }));
    const path = `/service-accounts/harbour--${name}`;
    for (const [repository, access] of Object.entries(grants)) {
      await made(founder('PUT', `${path}/grants/${repository}`, { access }));
    }
    const { body } = await made(founder('POST', `${path}/keys`, { label: 'k', expiry: '30d' }));
    return String(body.key);
  };
  const key = await create('sync');
  callers.set('a FullAccess session', await signIn(service, key));
  callers.set('a ReadOnly session', await signIn(service, key, { role: 'ReadOnly' }));
  callers.set('a session of a disabled service account', await signIn(service, await create('off')));
  await made(founder('POST', '/service-accounts/harbour--off/disable'));
  callers.set('a session of a deleted service account', await signIn(service, await create('gone')));
  await made(founder('DELETE', '/service-accounts/harbour--gone'));
  callers.set('a session of a service account made again', await signIn(service, await create('again')));
  await made(founder('DELETE', '/service-accounts/harbour--again'));
  await create('again');
}
