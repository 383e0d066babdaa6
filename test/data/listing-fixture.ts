import { seedNames } from '../../lib/local/seed.ts';
import { account, addMember, invite, made, repository, signUp } from '../functions/users.ts';
import { type Credentials, signIn } from '../service/data-clients.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import type { Client } from '../service/test-service.ts';

/** The seeded organization with repositories of every kind, and one caller of every kind. */

export const Bucket = seedNames.organization_id;

/**
 * In addition to the seed's `tide-gauges` (open, unlisted here) and `raw-drafts` (private), which the service account
 * may read and write.
 */
const repositories = [
  { repository_id: 'deep', data_mode: 'open', state: 'listed' },
  { repository_id: 'deep-sea', data_mode: 'open', state: 'listed' },
  { repository_id: 'sealed', data_mode: 'private', state: 'listed' },
  { repository_id: 'gone', data_mode: 'open', state: 'listed' },
];

export interface ListingFixture {
  service: SeededService;
  ada: Client;
  callers: Record<CallerName, Credentials | undefined>;
  /** The membership of a user in the organization. */
  membershipId: string;
}

export type CallerName =
  | 'anyone'
  | 'a stranger'
  | "an admin's user"
  | 'an owner of the organization'
  | 'the organization'
  | 'a repository of it'
  | 'a member of the organization'
  | 'a member of one repository'
  | 'someone invited'
  | 'someone who left'
  | 'its service account'
  | 'its service account, read only'
  | 'an API key of its service account'
  | 'a platform service account';

export async function startListingFixture(): Promise<ListingFixture> {
  const service = await startSeededService();
  const [admin, ada] = await Promise.all([service.user('admin'), service.user('ada')]);
  for (const { state, ...body } of repositories) {
    const created = repository(body.repository_id, { ...body, data_connection_id: seedNames.data_connection_id });
    const path = `/repositories/${Bucket}`;
    const { body: made_ } = await made(ada('POST', path, created));
    await made(ada('PUT', `${path}/${body.repository_id}`, { meta: made_.meta, state }));
  }
  await made(ada('POST', `/repositories/${Bucket}/gone/disable`));
  const meta = { title: 'Tide gauges', description: '', tags: '' };
  await made(ada('PUT', `/repositories/${Bucket}/tide-gauges`, { meta, state: 'unlisted' }));
  const users: Record<string, Client> = {};
  for (const name of ['stranger', 'member', 'repo-member', 'invited', 'left'])
    users[name] = await signUp(service, name);
  const user = (name: string): Client => users[name] ?? admin;
  const membershipId = await addMember(ada, Bucket, user('member'), 'member', 'read_data');
  await addMember(ada, `${Bucket}/raw-drafts`, user('repo-member'), 'repo-member', 'read_data');
  await invite(ada, Bucket, 'invited', 'read_data');
  const left = await addMember(ada, Bucket, user('left'), 'left', 'read_data');
  await made(user('left')('POST', `/memberships/${left}/revoke`));
  await made(admin('POST', '/accounts', account('platform-bot', 'service')));
  return {
    service,
    ada,
    membershipId,
    callers: {
      anyone: undefined,
      'a stranger': await issueKey(user('stranger'), '/accounts/stranger'),
      "an admin's user": await issueKey(admin, '/accounts/site-admin'),
      'an owner of the organization': await issueKey(ada, '/accounts/ada'),
      'the organization': await issueKey(ada, `/accounts/${Bucket}`),
      'a repository of it': await issueKey(ada, `/repositories/${Bucket}/sealed`),
      'a member of the organization': await issueKey(user('member'), '/accounts/member'),
      'a member of one repository': await issueKey(user('repo-member'), '/accounts/repo-member'),
      'someone invited': await issueKey(user('invited'), '/accounts/invited'),
      'someone who left': await issueKey(user('left'), '/accounts/left'),
      'its service account': await signIn(service, service.key),
      'its service account, read only': await signIn(service, service.key, { role: 'ReadOnly' }),
      'an API key of its service account': await issueKey(admin, `/accounts/${seedNames.service_account_id}`),
      'a platform service account': await issueKey(admin, '/accounts/platform-bot'),
    },
  };
}

export async function issueKey(by: Client, path: string, expires = '2999-01-01T00:00:00Z'): Promise<Credentials> {
  const { body } = await made(by('POST', `${path}/api-keys`, { name: 'data', expires }));
  return { accessKeyId: body.access_key_id, secretAccessKey: body.secret_access_key };
}

/** Creates an open repository of the seeded organization on its own connection, and a key of its owner. */
export async function repositoryOn(
  service: SeededService,
  repository_id: string,
  details: { bucket: string; base_prefix: string; region: string; endpoint: string },
  keyPair: { access_key_id: string; secret_access_key: string },
): Promise<Credentials> {
  const [admin, ada] = await Promise.all([service.user('admin'), service.user('ada')]);
  const data_connection_id = `${repository_id}-store`;
  await made(
    admin('POST', '/data-connections', {
      data_connection_id,
      name: data_connection_id,
      read_only: false,
      allowed_data_modes: ['open'],
      details: { provider: 's3', ...details },
      authentication: { type: 's3_access_key', ...keyPair },
    }),
  );
  await made(ada('POST', `/repositories/${Bucket}`, repository(repository_id, { data_connection_id })));
  return issueKey(ada, '/accounts/ada');
}
