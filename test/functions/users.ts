import type { Account } from '../../lib/domain/accounts/accounts.ts';
import type { Client, TestService } from '../service/test-service.ts';

/** Users and data that tests of management operations start with, created through the API. */

export const account = (account_id: string, account_type: Account['account_type'] = 'user') => ({
  account_id,
  account_type,
  profile: {},
});

/** Creates a user account. Identity and account have the same name. */
export async function signUp(service: Pick<TestService, 'user'>, accountId: string): Promise<Client> {
  const client = await service.user(accountId);
  await made(client('POST', '/accounts', account(accountId)));
  return client;
}

/** Creates an account for the first configured admin. */
export async function signUpAdmin(service: Pick<TestService, 'user'>): Promise<Client> {
  const admin = await service.user('admin');
  await made(admin('POST', '/accounts', account('site-admin')));
  return admin;
}

/** Creates a user who may create organizations. */
export async function signUpFounder(
  service: Pick<TestService, 'user'>,
  admin: Client,
  accountId: string,
): Promise<Client> {
  const founder = await signUp(service, accountId);
  await made(admin('PUT', `/accounts/${accountId}/flags`, ['create_organizations']));
  return founder;
}

export async function createOrganization(founder: Client, accountId: string): Promise<void> {
  await made(founder('POST', '/accounts', account(accountId, 'organization')));
}

/** Returns the ID of a new invitation to an account or a repository (`account/repository`). */
export async function invite(inviter: Client, scope: string, accountId: string, role: string): Promise<string> {
  const path = scope.includes('/') ? `/repositories/${scope}/members` : `/accounts/${scope}/members`;
  const { body } = await made(inviter('POST', path, { account_id: accountId, role }));
  return String(body.membership_id);
}

export async function addMember(
  inviter: Client,
  scope: string,
  member: Client,
  accountId: string,
  role: string,
): Promise<string> {
  const id = await invite(inviter, scope, accountId, role);
  await made(member('POST', `/memberships/${id}/accept`));
  return id;
}

export const connection = (data_connection_id: string, changes: Record<string, unknown> = {}) => ({
  data_connection_id,
  name: 'A store',
  read_only: false,
  allowed_data_modes: ['open', 'private'],
  details: { provider: 's3', bucket: 'some-bucket', base_prefix: '', region: 'eu-west-1' },
  authentication: { type: 's3_access_key', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'storage-secret' },
  ...changes,
});

export const repository = (repository_id: string, changes: Record<string, unknown> = {}) => ({
  repository_id,
  data_mode: 'open',
  meta: { title: 'Gauges', description: 'Hourly readings', tags: 'tides' },
  data_connection_id: 'store-one',
  ...changes,
});

/** Returns a successful response. Throws for any other, so that a failed preparation fails the test with its cause. */
export async function made(answer: ReturnType<Client>): ReturnType<Client> {
  const { status, headers, body } = await answer;
  if (status >= 300) throw new Error(`a step before the test answered ${status}: ${JSON.stringify(body)}`);
  return { status, headers, body };
}

/** Creates an API key of an account or a repository, such as `/accounts/ada`. Returns it with its client. */
export async function newKey(service: Pick<TestService, 'withAuthorization'>, by: Client, path: string) {
  const { body } = await made(by('POST', `${path}/api-keys`, { name: 'a key', expires: '2090-01-01T00:00:00Z' }));
  const { access_key_id, secret_access_key } = body as Record<'access_key_id' | 'secret_access_key', string>;
  const authorization = `${access_key_id} ${secret_access_key}`;
  const credentials = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
  return { access_key_id, authorization, credentials, client: service.withAuthorization(authorization) };
}

/** Creates an admin, the users ada and ben, ada's organization `tides`, and the connection `store-one`. */
export async function signUpTides(service: Pick<TestService, 'user'>) {
  const admin = await signUpAdmin(service);
  const [ada, ben] = [await signUpFounder(service, admin, 'ada'), await signUp(service, 'ben')];
  await createOrganization(ada, 'tides');
  await made(admin('POST', '/data-connections', connection('store-one')));
  return { admin, ada, ben };
}

/** Runs rounds with limited concurrency, like many clients. */
export async function inBatches(rounds: number, atOnce: number, round: (index: number) => Promise<void>) {
  for (let start = 0; start < rounds; start += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, rounds - start) }, (_, index) => round(start + index)));
  }
}
