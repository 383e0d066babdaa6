import {
  addMember,
  createOrganization,
  invite,
  made,
  signUp,
  signUpAdmin,
  signUpFounder,
} from '../functions/people.ts';
import type { SignerOptions } from '../lib/sigv4/signed-request.ts';
import { signIn } from '../service/data-clients.ts';
import type { Client, TestService } from '../service/test-service.ts';

/** Repositories by account and name, on two connections to one store. */
export const repositories = {
  'harbour/open-data': { data_mode: 'open', connection: 'store' },
  'harbour/for-members': { data_mode: 'subscription', connection: 'store' },
  'harbour/drafts': { data_mode: 'private', connection: 'store' },
  'harbour/beside': { data_mode: 'private', connection: 'store' },
  'harbour/frozen': { data_mode: 'private', connection: 'frozen-store' },
  'harbour/closed': { data_mode: 'open', connection: 'store' },
  'shut/open-data': { data_mode: 'open', connection: 'store' },
  'founder/own-drafts': { data_mode: 'private', connection: 'store' },
} as const;
export type Place = keyof typeof repositories;
export const places = Object.keys(repositories) as Place[];

/** Returns false for repositories without writers: disabled ones, and one on a read-only connection. */
export const isOpenToWrites = (place: Place) => !['harbour/closed', 'shut/open-data', 'harbour/frozen'].includes(place);

export interface RightsWorld {
  /** Credentials by name of the caller, undefined for the anonymous caller. */
  credentials: Map<string, SignerOptions | undefined>;
}

const never = '2999-01-01T00:00:00Z';
const roles = ['owners', 'maintainers', 'write_data', 'read_data'] as const;

async function apiKey(issuer: Client, path: string, expires = never): Promise<SignerOptions & { accessKeyId: string }> {
  const { body } = await made(issuer('POST', `${path}/api-keys`, { name: 'k', expires }));
  return { accessKeyId: body.access_key_id, secretAccessKey: body.secret_access_key };
}

/** Creates every kind of caller and repository, then disables some of them. */
export async function buildRightsWorld(service: TestService): Promise<RightsWorld> {
  const credentials = new Map<string, SignerOptions | undefined>([['anonymous', undefined]]);
  const admin = await signUpAdmin(service);
  const founder = await signUpFounder(service, admin, 'founder');
  await made(admin('PUT', '/accounts/founder/flags', ['create_organizations', 'create_repositories']));
  for (const organization of ['harbour', 'shut']) await createOrganization(founder, organization);
  await makeRepositories(service, admin, founder);

  credentials.set('the user who owns', await apiKey(founder, '/accounts/founder'));
  credentials.set('the organization', await apiKey(founder, '/accounts/harbour'));
  credentials.set('the repository drafts', await apiKey(founder, '/repositories/harbour/drafts'));
  credentials.set('the repository open-data', await apiKey(founder, '/repositories/harbour/open-data'));
  credentials.set('an admin', await apiKey(admin, '/accounts/site-admin'));
  await made(admin('POST', '/accounts', { account_id: 'platform-job', account_type: 'service', profile: {} }));
  credentials.set('a platform service account', await apiKey(admin, '/accounts/platform-job'));
  const stranger = await signUpFounder(service, admin, 'stranger');
  credentials.set('another user', await apiKey(stranger, '/accounts/stranger'));
  await createOrganization(stranger, 'lighthouse');
  credentials.set('another organization', await apiKey(stranger, '/accounts/lighthouse'));

  await addMembers(service, founder, credentials);
  await addSessions(service, founder, credentials);

  const revoked = await apiKey(founder, '/accounts/founder');
  await made(founder('DELETE', `/api-keys/${revoked.accessKeyId}`));
  credentials.set('a revoked key', revoked);
  const soon = new Date(service.services.clock() + 60_000).toISOString();
  credentials.set('an expired key', await apiKey(founder, '/accounts/founder', soon));
  const gone = await signUp(service, 'gone');
  await addMember(founder, 'harbour', gone, 'gone', 'write_data');
  credentials.set('a disabled user who is a member', await apiKey(gone, '/accounts/gone'));
  await made(admin('DELETE', '/accounts/gone'));

  await made(founder('DELETE', '/repositories/harbour/closed'));
  await made(founder('DELETE', '/accounts/shut'));
  await made(admin('DELETE', '/data-connections/frozen-store'));
  service.advance(61);
  return { credentials };
}

async function makeRepositories(service: TestService, admin: Client, founder: Client): Promise<void> {
  const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;
  for (const data_connection_id of ['store', 'frozen-store']) {
    const base_prefix = `${data_connection_id}/`;
    await made(
      admin('POST', '/data-connections', {
        data_connection_id,
        name: data_connection_id,
        read_only: false,
        allowed_data_modes: ['open', 'subscription', 'private'],
        details: { provider: 's3', bucket, base_prefix, region, endpoint },
        authentication: { type: 's3_access_key', access_key_id, secret_access_key },
      }),
    );
  }
  const meta = { title: 'T', description: '', tags: '' };
  for (const [place, { data_mode, connection }] of Object.entries(repositories)) {
    const [account, repository_id] = place.split('/');
    const created = { repository_id, data_mode, meta, data_connection_id: connection };
    await made(founder('POST', `/repositories/${account}`, created));
  }
}

async function addMembers(
  service: TestService,
  founder: Client,
  credentials: RightsWorld['credentials'],
): Promise<void> {
  const scopes = { account: 'harbour', repository: 'harbour/drafts' };
  for (const [kind, scope] of Object.entries(scopes)) {
    for (const role of roles) {
      const id = `${kind}-${role.replace('_', '-')}`;
      const member = await signUp(service, id);
      await addMember(founder, scope, member, id, role);
      credentials.set(`${role} of the ${kind}`, await apiKey(member, `/accounts/${id}`));
    }
    const invited = await signUp(service, `${kind}-invited`);
    await invite(founder, scope, `${kind}-invited`, 'owners');
    credentials.set(`invited to the ${kind}`, await apiKey(invited, `/accounts/${kind}-invited`));
    const left = await signUp(service, `${kind}-left`);
    const membership = await addMember(founder, scope, left, `${kind}-left`, 'owners');
    await made(founder('POST', `/memberships/${membership}/revoke`));
    credentials.set(`revoked in the ${kind}`, await apiKey(left, `/accounts/${kind}-left`));
  }
  const helper = await signUp(service, 'helper');
  await addMember(founder, 'founder', helper, 'helper', 'write_data');
  credentials.set('write_data of the personal account', await apiKey(helper, '/accounts/helper'));
}

async function addSessions(
  service: TestService,
  founder: Client,
  credentials: RightsWorld['credentials'],
): Promise<void> {
  const grants = { 'for-members': 'read', drafts: 'read_write', frozen: 'read_write', closed: 'read_write' };
  const make = async (name: string) => {
    await made(founder('POST', '/accounts/harbour/service-accounts', { name }));
    for (const [repository, access] of Object.entries(grants)) {
      await made(founder('PUT', `/service-accounts/harbour--${name}/grants/${repository}`, { access }));
    }
    const { body } = await made(
      founder('POST', `/service-accounts/harbour--${name}/keys`, { label: 'k', expiry: '30d' }),
    );
    return String(body.key);
  };
  const key = await make('sync');
  credentials.set('a FullAccess session', await signIn(service, key));
  credentials.set('a ReadOnly session', await signIn(service, key, { role: 'ReadOnly' }));
  credentials.set('a session of a disabled service account', await signIn(service, await make('off')));
  await made(founder('POST', '/service-accounts/harbour--off/disable'));
  credentials.set('a session of a deleted service account', await signIn(service, await make('gone')));
  await made(founder('DELETE', '/service-accounts/harbour--gone'));
  credentials.set('a session of a service account made again', await signIn(service, await make('again')));
  await made(founder('DELETE', '/service-accounts/harbour--again'));
  await make('again');
}
