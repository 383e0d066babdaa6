import { randomUUID } from 'node:crypto';
import { membershipRoles } from '../../lib/domain/accounts/memberships.ts';
import { account, invite, made, newKey, signUp, signUpAdmin } from '../functions/users.ts';
import { makeReady } from '../functions/versions-of-repositories.ts';
import { type CallerKind, callerKinds, type Scope } from '../lib/domain/accounts/permissions/matrix-shape.ts';
import type { Client, TestService } from '../service/test-service.ts';

/**
 * One caller of every kind and one account of every type, created through the API. Users have the same role in each
 * account: `owners` has that role in the personal account, the organization, and the platform service account.
 */
export interface Fixture {
  /** The first admin of the deployment. This user is also the founder of the organization. */
  root: Client;
  /** Returns the client of a kind of caller. The kind is relative to the target account. */
  as(kind: CallerKind, scope: Scope): Client;
  place(scope: Scope): Place;
  /** Disables the target user account during `act`. Its user is then the caller `disabled_user`. */
  whileDisabled(act: () => Promise<void>): Promise<void>;
  /** Completes a version, as the background job does. */
  makeReady(version: { version_uid: string }): Promise<void>;
  /** Creates a user with an account and without any rights. */
  newUser(): Promise<User>;
  /** Returns the client of a signed-in user without an account. */
  newcomer(): Promise<Client>;
}

/** The target account, the resources that belong to it, and a client that may create more. */
export interface Place {
  account_id: string;
  repository_id: string;
  service_account_id: string;
  manager: Client;
}

export interface User {
  account_id: string;
  client: Client;
}

export const usedConnection = {
  data_connection_id: 'used-store',
  name: 'Used store',
  read_only: false,
  authentication: { type: 's3_access_key', access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'example' },
  allowed_data_modes: ['open', 'subscription', 'private'],
  details: { provider: 's3', bucket: 'used-store', base_prefix: '', region: 'eu-west-1' },
};

export const repositoryMeta = { title: 'Gauges', description: 'Water levels', tags: 'tides' };

export function shortId(): string {
  return randomUUID().slice(0, 13);
}

/** Kinds of callers that sign in as a user with an account. */
const userKinds = callerKinds.filter((kind) => !/^anonymous$|^newcomer$|_key$/.test(kind));

const flags: Partial<Record<CallerKind, readonly string[]>> = {
  self: ['create_organizations'],
  disabled_user: ['create_organizations', 'create_repositories'],
  disabled_admin: ['admin'],
  admin: ['admin'],
};

export async function buildFixture(service: TestService): Promise<Fixture> {
  const root = await signUpAdmin(service);
  await made(root('POST', '/data-connections', usedConnection));

  const newUser = async (account_id = `guest-${shortId()}`): Promise<User> => {
    return { account_id, client: await signUp(service, account_id) };
  };
  const users = new Map<CallerKind, User>();
  for (const kind of userKinds) {
    const user = await newUser(`the-${kind.replaceAll('_', '-')}`);
    users.set(kind, user);
    if (flags[kind] !== undefined) await made(root('PUT', `/accounts/${user.account_id}/flags`, flags[kind]));
  }
  const userOf = (kind: CallerKind): User => users.get(kind) ?? never(kind);

  const accounts = { organization: 'the-organization', service: 'the-platform' };
  for (const account_type of ['organization', 'service'] as const) {
    await made(root('POST', '/accounts', account(accounts[account_type], account_type)));
  }
  const places: Record<'user' | 'organization' | 'service', Place> = {
    user: await newPlace(userOf('self').account_id, userOf('self').client),
    organization: await newPlace(accounts.organization, root),
    // A platform service account owns nothing, so these IDs do not exist.
    service: {
      account_id: accounts.service,
      repository_id: 'gauges',
      service_account_id: `${accounts.service}--sync`,
      manager: root,
    },
  };
  for (const { account_id, repository_id, manager } of Object.values(places)) {
    await addMembers(manager, userOf, account_id, '');
    if (account_id === accounts.service) continue;
    await addMembers(manager, userOf, `${account_id}/${repository_id}`, 'repository_');
  }

  const keys: Partial<Record<CallerKind, Client>> = {};
  const owners = { self_key: 'self', owner_key: 'owners', admin_key: 'admin' } as const;
  for (const kind of ['self_key', 'owner_key', 'admin_key'] as const) {
    const { account_id, client } = userOf(owners[kind]);
    keys[kind] = (await newKey(service, client, `/accounts/${account_id}`)).client;
  }
  keys.service_key = (await newKey(service, root, `/accounts/${accounts.service}`)).client;
  keys.organization_key = (await newKey(service, root, `/accounts/${accounts.organization}`)).client;
  const repositoryKeys = {
    user: (await newKey(service, root, `/repositories/${places.user.account_id}/gauges`)).client,
    organization: (await newKey(service, root, `/repositories/${accounts.organization}/gauges`)).client,
  };
  for (const kind of ['disabled_user', 'disabled_admin'] as const) {
    await made(root('POST', `/accounts/${userOf(kind).account_id}/disable`));
  }
  const newcomer = () => service.user(`newcomer-${randomUUID()}`);
  const nobodyYet = await newcomer();

  return {
    root,
    newUser,
    newcomer,
    makeReady: (version) => makeReady(service, version),
    async whileDisabled(act) {
      await made(root('POST', `/accounts/${places.user.account_id}/disable`));
      await act();
      await made(root('POST', `/accounts/${places.user.account_id}/enable`));
    },
    place: (scope) => places[scope === 'any' ? 'organization' : scope],
    as: (kind, scope) => {
      if (kind === 'anonymous') return service.anyone;
      if (kind === 'newcomer') return nobodyYet;
      if (kind === 'repository_key') return repositoryKeys[scope === 'user' ? 'user' : 'organization'];
      if (kind === 'disabled_user' && scope === 'user') return userOf('self').client;
      return keys[kind] ?? userOf(kind).client;
    },
  };

  async function newPlace(account_id: string, manager: Client): Promise<Place> {
    await made(
      manager('POST', `/repositories/${account_id}`, {
        repository_id: 'gauges',
        data_mode: 'private',
        meta: repositoryMeta,
        data_connection_id: usedConnection.data_connection_id,
      }),
    );
    const { body } = await made(manager('POST', `/accounts/${account_id}/service-accounts`, { name: 'sync' }));
    return { account_id, repository_id: 'gauges', service_account_id: body.service_account_id, manager };
  }
}

async function addMembers(
  manager: Client,
  userOf: (kind: CallerKind) => User,
  scope: string,
  kindPrefix: '' | 'repository_',
): Promise<void> {
  const add = async (kind: CallerKind, role: string) => {
    const { account_id, client } = userOf(kind);
    const membership_id = await invite(manager, scope, account_id, role);
    if (kind !== 'invited') await made(client('POST', `/memberships/${membership_id}/accept`));
    if (kind === 'revoked') await made(manager('POST', `/memberships/${membership_id}/revoke`));
  };
  for (const role of membershipRoles) await add(`${kindPrefix}${role}`, role);
  for (const kind of ['invited', 'revoked', 'disabled_user'] as const) await add(kind, 'owners');
}

function never(kind: string): never {
  throw new Error(`nobody is ${kind}`);
}
