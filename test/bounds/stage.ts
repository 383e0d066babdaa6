import { randomUUID } from 'node:crypto';
import type { LocalService } from '../../lib/local/service.ts';
import type { SigningCredentials } from '../../lib/sigv4/sign.ts';
import { makeReady } from '../functions/versions-of-repositories.ts';
import { connectByRole } from '../service/account-storage.ts';
import { userToken as userTokenOf } from '../service/user-tokens.ts';
import { audience, type EdgeInstance, type Outcome } from './edge-instances.ts';

type Addresses = Pick<LocalService, 'apiUrl' | 'identity' | 'storage' | 'stsUrl' | 'services' | 'repositoryJobStore'>;

/**
 * The storage of the test data: a connection of the platform with a stored key, or a connection of the account by a
 * role.
 */
export const storageKinds = ['key', 'role'] as const;
export type StorageKind = (typeof storageKinds)[number];
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Manage = (method: string, path: string, body?: unknown) => Promise<any>;

/** Clients of the managing users. Their tokens follow the machine's clock and are valid for a whole benchmark run. */
export interface Users {
  admin: Manage;
  user(sub: string): Promise<Manage>;
}

export async function managePeople(service: Addresses): Promise<Users> {
  const user = async (sub: string): Promise<Manage> => {
    let token = await userTokenOf(service, sub);
    const manage = async (method: string, path: string, body?: unknown, retriesLeft = 3): Promise<unknown> => {
      let answer = await request(service, method, path, token, body);
      if (answer.status === 401) {
        token = await userTokenOf(service, sub);
        answer = await request(service, method, path, token, body);
      }
      const text = await answer.text();
      // The stream consumers must still remove the data of a deleted repository.
      if (text.includes('concurrent_change') && retriesLeft > 0) return manage(method, path, body, retriesLeft - 1);
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    };
    return manage;
  };
  const admin = await user('admin');
  await admin('POST', '/accounts', account('site-admin', 'user'));
  return { admin, user };
}

/** An organization that has one of each thing that can be revoked. */
export interface Stage extends StageNames, ServiceAccountParts, MemberParts, RepositoryParts, VersionParts {
  service: Addresses;
  /** Each stage has its own owner, because a user may create only a few organizations a day. */
  users: Users & { owner: Manage };
}

interface StageNames {
  name: string;
  organization: string;
  connection: string;
  serviceAccount: string;
  roleArn: string;
  /** Returns a short-lived token for the trusted workflow of the service account. */
  ciToken(): Promise<string>;
}

interface ServiceAccountParts {
  key: string;
  keyId: string;
  workflowId: string;
  siblingKey: string;
  /** Sessions of the service account, by each key and by the workflow. */
  session: SigningCredentials;
  siblingSession: SigningCredentials;
  workflowSession: SigningCredentials;
}

interface MemberParts {
  memberId: string;
  member: Manage;
  membershipId: string;
  /** An API key of the member. */
  apiKey: SigningCredentials;
  /** Returns a data token of the member, which is valid for little more than an hour. */
  userToken(): Promise<string>;
  /** A session of the member, issued for a data token. */
  userSession: SigningCredentials;
  /** A session of the member for a page. It is limited to one repository. */
  narrowedSession: SigningCredentials;
}

interface VersionParts {
  /** A version of the open repository in the state `ready`. */
  versionName: string;
}

interface RepositoryParts {
  /** An API key of the repository, and an API key of a user who is a member only of the repository. */
  repositoryKey: SigningCredentials;
  guestKey: SigningCredentials;
  guestId: string;
  guest: Manage;
  guestMembershipId: string;
  /** A link that the owner created to the repository, and credentials that were issued for the link. */
  linkId: string;
  linkSession: SigningCredentials;
}

export const repository = 'restricted';
export const openRepository = 'open-to-all';

export async function buildStage(
  service: Addresses,
  everybody: Users,
  instance: EdgeInstance,
  name: string,
  storage: StorageKind,
): Promise<Stage> {
  const { admin, user } = everybody;
  const owner = await user(ownerOf(name));
  await owner('POST', '/accounts', account(ownerOf(name), 'user'));
  await admin('PUT', `/accounts/${ownerOf(name)}/flags`, ['create_organizations']);
  const users = { ...everybody, owner };
  const organization = `org-${name}`;
  const connection = `store-${name}`;
  const serviceAccount = `${organization}--sync`;
  const roleArn = `arn:aws:iam::${serviceAccount}:role/FullAccess`;
  const ciToken = () => runToken(service, `repo:${workflowRepository(name)}:ref:refs/heads/main`);
  const names = { name, users, organization, connection, serviceAccount, roleArn, ciToken };
  await owner('POST', '/accounts', account(organization, 'organization'));
  if (storage === 'key') await admin('POST', '/data-connections', newConnection(connection));
  else await connectByRole(service, owner, { account_id: organization, data_connection_id: connection });
  await createRepository(names, repository, 'private');
  await createRepository(names, openRepository, 'open');

  const ofServiceAccount = await createServiceAccount(names, instance);
  const ofMember = await addMember({ ...names, service }, instance);
  const ofRepository = await giveInRepository(names);
  const ofVersion = await createVersion({ ...names, service });
  return { ...names, service, ...ofServiceAccount, ...ofRepository, ...ofMember, ...ofVersion };
}

type Named = StageNames & Pick<Stage, 'users'>;

/**
 * Creates a service account with a grant, two keys, a trusted workflow, and credentials issued for each key and for the
 * workflow.
 */
export async function createServiceAccount(stage: Named, instance: EdgeInstance): Promise<ServiceAccountParts> {
  const { users, organization } = stage;
  await users.owner('POST', `/accounts/${organization}/service-accounts`, { name: 'sync' });
  await grant(stage);
  const { key, keyId } = await issueKey(stage);
  const { key: siblingKey } = await issueKey(stage);
  const { workflowId } = await trustWorkflow(stage);
  const signedIn = await signInAnew({ ...stage, key, siblingKey }, instance);
  return { key, keyId, siblingKey, workflowId, ...signedIn };
}

export async function createRepository(
  { users, organization, connection }: Named,
  repository_id: string,
  data_mode: 'open' | 'private',
): Promise<void> {
  const meta = { title: 'Bounds', description: '', tags: '' };
  const created = { repository_id, data_mode, meta, data_connection_id: connection };
  await users.owner('POST', `/repositories/${organization}`, created);
}

/** Creates a version of the open repository, and ends its freeze. */
export async function createVersion({
  users,
  organization,
  service,
}: Named & Pick<Stage, 'service'>): Promise<VersionParts> {
  const versionName = `v-${randomUUID()}`;
  const path = `/repositories/${organization}/${openRepository}/versions`;
  await makeReady(service, await users.owner('POST', path, { name: versionName }));
  return { versionName };
}

/** Creates a key of the repository, and a membership of a new user in the repository. */
export async function giveInRepository(stage: Named): Promise<RepositoryParts> {
  const parts = await inviteGuest(stage);
  await parts.guest('POST', `/memberships/${parts.guestMembershipId}/accept`);
  return parts;
}

/** Creates a key of the repository, and a new user who has a key. Invites this user, who does not accept yet. */
export async function inviteGuest(stage: Named): Promise<RepositoryParts> {
  const { users, organization } = stage;
  const at = `/repositories/${organization}/${repository}`;
  const [guestId, guest] = await newcomer(users);
  const guestKey = await guest('POST', `/accounts/${guestId}/api-keys`, neverExpiring);
  const { membership_id } = await users.owner('POST', `${at}/members`, { account_id: guestId, role: 'write_data' });
  const repositoryKey = await users.owner('POST', `${at}/api-keys`, neverExpiring);
  const parts = { guestKey, repositoryKey, guestId, guest, guestMembershipId: membership_id };
  return { ...parts, ...(await share(stage)) };
}

/** Creates a link to the repository, and exchanges it for credentials. */
export async function share({ users, organization }: Named): Promise<Pick<Stage, 'linkId' | 'linkSession'>> {
  const shared = { prefix: '', expires_in_days: 7 };
  const { link_id, secret } = await users.owner('POST', `/repositories/${organization}/${repository}/links`, shared);
  const linkSession = await users.owner('POST', `/links/${link_id}/credentials`, { secret });
  return { linkId: link_id, linkSession };
}

/** Adds a second owner with the same rights as the founder. */
export async function secondOwner({ users, organization }: Named): Promise<Manage> {
  const [account_id, manage] = await newcomer(users);
  const invitation = { account_id, role: 'owners' };
  const { membership_id } = await users.owner('POST', `/accounts/${organization}/members`, invitation);
  await manage('POST', `/memberships/${membership_id}/accept`);
  return manage;
}

export async function signInAnew(
  { roleArn, key, siblingKey, ciToken }: Pick<Stage, 'roleArn' | 'key' | 'siblingKey' | 'ciToken'>,
  instance: EdgeInstance,
): Promise<Pick<Stage, 'session' | 'siblingSession' | 'workflowSession'>> {
  const sessionBy = async (token: string) => credentialsIn((await instance.exchange(roleArn, token)).document);
  return {
    session: await sessionBy(key),
    siblingSession: await sessionBy(siblingKey),
    workflowSession: await sessionBy(await ciToken()),
  };
}

export async function signInUserAgain(
  { memberId, member, userToken, organization }: Pick<Stage, 'memberId' | 'member' | 'userToken' | 'organization'>,
  instance: EdgeInstance,
): Promise<Pick<Stage, 'userSession' | 'narrowedSession'>> {
  const narrowed = { role: 'FullAccess', repository: `${organization}/${repository}` };
  return {
    userSession: await signInUser(memberId, await userToken(), instance),
    narrowedSession: await member('POST', '/session/data-credentials', narrowed),
  };
}

async function signInUser(memberId: string, token: string, instance: EdgeInstance): Promise<SigningCredentials> {
  return credentialsIn((await instance.exchange(userRoleArn(memberId), token)).document);
}

function userRoleArn(accountId: string): string {
  return `arn:aws:iam::${accountId}:role/FullAccess`;
}

export async function grant({ users, serviceAccount }: Named): Promise<void> {
  await users.owner('PUT', `/service-accounts/${serviceAccount}/grants/${repository}`, { access: 'read_write' });
}

export async function issueKey({ users, serviceAccount }: Named): Promise<Pick<Stage, 'key' | 'keyId'>> {
  const asked = { label: 'bounds', expiry: '30d' };
  const { key, key_id: keyId } = await users.owner('POST', `/service-accounts/${serviceAccount}/keys`, asked);
  return { key, keyId };
}

export async function trustWorkflow({ users, serviceAccount, name }: Named): Promise<Pick<Stage, 'workflowId'>> {
  const trusted = { repository: workflowRepository(name), branch: 'main' };
  const at = `/service-accounts/${serviceAccount}/trusted-workflows`;
  const { workflow_id: workflowId } = await users.owner('POST', at, trusted);
  return { workflowId };
}

/** Adds a new user with a key, because one user may receive only a few invitations a day. */
export async function addMember(stage: Named & Pick<Stage, 'service'>, instance: EdgeInstance): Promise<MemberParts> {
  const invited = await inviteMember(stage, instance);
  const { memberId, member, membershipId, userToken } = invited;
  await member('POST', `/memberships/${membershipId}/accept`);
  const signedIn = await signInUserAgain({ memberId, member, userToken, organization: stage.organization }, instance);
  return { ...invited, ...signedIn };
}

/** Creates a new user with a key and a session, who has not yet accepted the invitation. */
export async function inviteMember(
  { users, organization, service }: Named & Pick<Stage, 'service'>,
  instance: EdgeInstance,
): Promise<Omit<MemberParts, 'narrowedSession'>> {
  const [memberId, member] = await newcomer(users);
  const invitation = { account_id: memberId, role: 'write_data' };
  const { membership_id: membershipId } = await users.owner('POST', `/accounts/${organization}/members`, invitation);
  const userToken = () => userTokenOf(service, memberId, service.identity.people.data_client_id);
  const userSession = await signInUser(memberId, await userToken(), instance);
  return { memberId, member, membershipId, userToken, userSession, ...(await issueApiKey({ memberId, member })) };
}

export async function newcomer({ user }: Users): Promise<[accountId: string, Manage]> {
  const accountId = `user-${randomUUID().slice(0, 18)}`;
  const manage = await user(accountId);
  await manage('POST', '/accounts', account(accountId, 'user'));
  return [accountId, manage];
}

export async function issueApiKey({
  memberId,
  member,
}: Pick<Stage, 'memberId' | 'member'>): Promise<Pick<Stage, 'apiKey'>> {
  return { apiKey: await member('POST', `/accounts/${memberId}/api-keys`, neverExpiring) };
}

export const probes = {
  'exchange by key': async (instance, { roleArn, key }) => (await instance.exchange(roleArn, key)).outcome,
  'exchange by workflow': async (instance, { roleArn, ciToken }) =>
    (await instance.exchange(roleArn, await ciToken())).outcome,
  write: (instance, stage) => instance.send('PUT', objectPath(stage), stage.session),
  read: (instance, stage) => instance.send('GET', objectPath(stage), stage.session),
  'write by a sibling key': (instance, stage) => instance.send('PUT', objectPath(stage), stage.siblingSession),
  'read by a sibling key': (instance, stage) => instance.send('GET', objectPath(stage), stage.siblingSession),
  'write by a workflow': (instance, stage) => instance.send('PUT', objectPath(stage), stage.workflowSession),
  'read by a workflow': (instance, stage) => instance.send('GET', objectPath(stage), stage.workflowSession),
  'exchange by a user': async (instance, { memberId, userToken }) =>
    (await instance.exchange(userRoleArn(memberId), await userToken())).outcome,
  'write by a user': (instance, stage) => instance.send('PUT', objectPath(stage), stage.userSession),
  'read by a user': (instance, stage) => instance.send('GET', objectPath(stage), stage.userSession),
  'write by narrowed credentials': (instance, stage) => instance.send('PUT', objectPath(stage), stage.narrowedSession),
  'read by narrowed credentials': (instance, stage) => instance.send('GET', objectPath(stage), stage.narrowedSession),
  'write by API key': (instance, stage) => instance.send('PUT', objectPath(stage), stage.apiKey),
  'read by API key': (instance, stage) => instance.send('GET', objectPath(stage), stage.apiKey),
  "write by the repository's key": (instance, stage) => instance.send('PUT', objectPath(stage), stage.repositoryKey),
  "read by the repository's key": (instance, stage) => instance.send('GET', objectPath(stage), stage.repositoryKey),
  'write by a member of the repository': (instance, stage) => instance.send('PUT', objectPath(stage), stage.guestKey),
  'read by a member of the repository': (instance, stage) => instance.send('GET', objectPath(stage), stage.guestKey),
  'read by a link': (instance, stage) => instance.send('GET', objectPath(stage), stage.linkSession),
  'read by anyone': (instance, stage) => instance.send('GET', objectPath(stage, openRepository), undefined),
  'read a version by anyone': (instance, stage) =>
    instance.send('GET', objectPath(stage, `${openRepository}@${stage.versionName}`), undefined),
} satisfies Record<string, (instance: EdgeInstance, stage: Stage) => Promise<Outcome>>;
export type ProbeName = keyof typeof probes;

function objectPath({ organization }: Stage, repositoryId = repository): string {
  return `/${organization}/${repositoryId}/object`;
}

const ownerOf = (name: string) => `owner-${name}`;
const neverExpiring = { name: 'bounds', expires: '2999-01-01T00:00:00Z' };
const workflowRepository = (name: string) => `bounds/${name}`;
const account = (account_id: string, account_type: string) => ({ account_id, account_type, profile: {} });

const newConnection = (data_connection_id: string) => ({
  data_connection_id,
  name: 'Bounds',
  read_only: false,
  allowed_data_modes: ['open', 'private'],
  details: { provider: 's3', bucket: 'bounds', base_prefix: `${data_connection_id}/`, region: 'eu-west-1' },
  authentication: { type: 's3_access_key', access_key_id: 'AKBOUNDS', secret_access_key: 'bounds' },
});

function credentialsIn(document: string): SigningCredentials {
  const read = (element: string) => new RegExp(`<${element}>([^<]+)</${element}>`).exec(document)?.[1] ?? '';
  return {
    access_key_id: read('AccessKeyId'),
    secret_access_key: read('SecretAccessKey'),
    session_token: read('SessionToken'),
  };
}

async function runToken({ identity }: Addresses, sub: string): Promise<string> {
  const answer = await fetch(`${identity.url}/ci/token?${new URLSearchParams({ audience, sub })}`);
  return ((await answer.json()) as { value: string }).value;
}

function request({ apiUrl }: Addresses, method: string, path: string, token: string, body: unknown): Promise<Response> {
  return fetch(`${apiUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
