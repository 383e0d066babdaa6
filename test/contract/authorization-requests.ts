import { issueServiceAccountKey } from '../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../lib/lambda/random.ts';
import { invite, made } from '../functions/people.ts';
import type { CallerKind, CaseName, Scope } from '../lib/domain/accounts/permissions/matrix-shape.ts';
import type { Client } from '../service/test-service.ts';
import { type Place, repositoryMeta, shortId, usedConnection, type World } from './fixture.ts';

/** A request that succeeds for an allowed caller. */
export interface Attempt {
  /** Path parameters that replace those of the place. */
  path?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  /** Clients for kinds of caller that depend on the target of this request. */
  as?: Readonly<Partial<Record<CallerKind, Client>>>;
  /** Reverts the change of a successful request. */
  undo?: () => Promise<unknown>;
}

interface Stage {
  world: World;
  place: Place;
  scope: Scope;
  kind: CallerKind;
}

type Prepare = (stage: Stage) => Attempt | Promise<Attempt>;

const nothing: Prepare = () => ({});
const body =
  (make: () => unknown): Prepare =>
  () => ({ body: make() });

const farAhead = '2090-01-01T00:00:00Z';
const newApiKey = body(() => ({ name: 'pipeline', expires: farAhead }));

const ofAccount = ({ account_id }: Place) => `/accounts/${account_id}`;
const ofRepository = ({ account_id, repository_id }: Place) => `/repositories/${account_id}/${repository_id}`;
const ofServiceAccount = ({ service_account_id }: Place) => `/service-accounts/${service_account_id}`;

/** Target of an invitation to the account or to the repository. */
const accountScope = ({ account_id }: Place) => account_id;
const repositoryScope = ({ account_id, repository_id }: Place) => `${account_id}/${repository_id}`;

const invitation: Prepare = async ({ world }) => {
  const { account_id } = await world.newPerson();
  return { body: { account_id, role: 'read_data' } };
};

/** Prepares an invitation of a new user, who answers it as the kind `invited`. */
const membership =
  (scope: (place: Place) => string, sent?: unknown): Prepare =>
  async ({ world, place }) => {
    const { account_id, client } = await world.newPerson();
    const membership_id = await invite(place.manager, scope(place), account_id, 'read_data');
    return { path: { membership_id }, body: sent, as: { invited: client } };
  };

const apiKey =
  (path: (place: Place) => string): Prepare =>
  async ({ place }) => {
    const { body: key } = await made(
      place.manager('POST', `${path(place)}/api-keys`, { name: 'to be revoked', expires: farAhead }),
    );
    return { path: { access_key_id: key.access_key_id } };
  };

const enabling =
  (path: (place: Place) => string): Prepare =>
  ({ world, place, scope }) => ({
    // A platform service account has no repositories, so nothing needs to be enabled.
    undo: async () => scope === 'service' || made(world.root('POST', `${path(place)}/enable`)),
  });

const newServiceAccount: Prepare = async ({ place }) => {
  const name = `robot-${shortId()}`;
  const { body: created } = await made(place.manager('POST', `${ofAccount(place)}/service-accounts`, { name }));
  return { path: { service_account_id: created.service_account_id } };
};

const serviceAccountKey =
  (sent?: unknown): Prepare =>
  async (stage) => {
    const { path } = await newServiceAccount(stage);
    const key = { label: 'build', expiry: '30d' };
    const { body: issued } = await made(
      stage.place.manager('POST', `/service-accounts/${path?.['service_account_id']}/keys`, key),
    );
    return { path: { ...path, key_id: issued.key_id }, body: sent };
  };

const grant = async ({ place }: Stage): Promise<Attempt> => {
  const { repository_id, manager } = place;
  await made(manager('PUT', `${ofServiceAccount(place)}/grants/${repository_id}`, { access: 'read' }));
  return {};
};

const workflow = () => ({ repository: 'tides/pipelines', branch: `branch-${shortId()}` });

const trusted: Prepare = async ({ place }) => {
  const { body: created } = await made(
    place.manager('POST', `${ofServiceAccount(place)}/trusted-workflows`, workflow()),
  );
  return { path: { workflow_id: created.workflow_id } };
};

const ofStranger: Prepare = async ({ world }) => {
  const { account_id } = await world.newPerson();
  return { path: { blocked_account_id: account_id } };
};

const blocked: Prepare = async (stage) => {
  const { path = {} } = await ofStranger(stage);
  const { place, scope } = stage;
  // Only a user blocks accounts, not an organization.
  if (scope === 'user') {
    await made(place.manager('PUT', `${ofAccount(place)}/blocked-accounts/${path['blocked_account_id']}`));
  }
  return { path };
};

/** An offer by the target account. */
const offer: Prepare = async ({ world, place }) => {
  const { account_id } = await world.newPerson();
  const { body: offered } = await made(place.manager('POST', `${ofRepository(place)}/transfers`, { to: account_id }));
  return { path: { transfer_id: offered.transfer_id } };
};

/** An offer to the target account. */
const offered: Prepare = async ({ world, place }) => {
  const { account_id, client } = await world.newPerson();
  const { body: repository } = await made(client('POST', `/repositories/${account_id}`, newRepository()));
  const of = { ...place, account_id, repository_id: repository.repository_id };
  const { body: answer } = await made(client('POST', `${ofRepository(of)}/transfers`, { to: place.account_id }));
  return { path: { transfer_id: answer.transfer_id } };
};

const newRepository = () => ({
  repository_id: `new-${shortId()}`,
  data_mode: 'open',
  meta: repositoryMeta,
  data_connection_id: usedConnection.data_connection_id,
});

const newConnection = () => ({ ...usedConnection, data_connection_id: `store-${shortId()}` });

export const requests: Readonly<Record<CaseName, Prepare>> = {
  'create-account': ({ kind, scope }) => ({
    body: {
      account_id: `new-${shortId()}`,
      account_type: scope,
      profile: {},
      // An admin already has an account, so the new account is for another identity.
      ...(kind === 'admin' && scope === 'user' ? { identity_id: `someone-${shortId()}` } : {}),
    },
  }),
  'get-account': nothing,
  'get-account-flags': nothing,
  'update-account-flags': ({ scope }) => ({ body: scope === 'user' ? ['create_organizations'] : [] }),
  'disable-account': ({ world, place, scope }) => {
    const enabler = scope === 'organization' ? place.manager : world.root;
    return { undo: () => made(enabler('POST', `${ofAccount(place)}/enable`)) };
  },
  'enable-account': nothing,
  'delete-account': async ({ world, place, scope, kind }) => {
    if (scope !== 'user' || kind !== 'self') return { body: { confirm: place.account_id } };
    // A new user deletes its own account, so that the target account stays for the other callers.
    const { account_id, client } = await world.newPerson();
    return { path: { account_id }, body: { confirm: account_id }, as: { self: client } };
  },
  'get-profile': nothing,
  'update-profile': body(() => ({ bio: 'Measures tides' })),
  'list-audit-events': nothing,
  'set-repository-limit': body(() => ({ repositories_max: 1200 })),
  'list-blocked-accounts': nothing,
  'block-account': ofStranger,
  'unblock-account': blocked,
  'create-account-api-key': newApiKey,
  'list-account-api-keys': nothing,
  'list-made-keys': nothing,
  'revoke-api-key': apiKey(ofAccount),
  'revoke-api-key of a repository': apiKey(ofRepository),
  'create-repository-api-key': newApiKey,
  'list-repository-api-keys': nothing,
  'invite-account-member': invitation,
  'list-account-members': nothing,
  'invite-repository-member': invitation,
  'list-repository-members': nothing,
  'accept-membership': membership(accountScope),
  'accept-membership of a repository': membership(repositoryScope),
  'reject-membership': membership(accountScope),
  'reject-membership of a repository': membership(repositoryScope),
  'revoke-membership': membership(accountScope),
  'revoke-membership of a repository': membership(repositoryScope),
  'update-membership-role': membership(accountScope, '"write_data"'),
  'update-membership-role of a repository': membership(repositoryScope, '"write_data"'),
  'create-data-connection': body(newConnection),
  'get-data-connection': nothing,
  'update-data-connection': body(() => usedConnection),
  'disable-data-connection': nothing,
  'test-data-connection': body(() => ({ access: 'read' })),
  'list-available-data-connections': nothing,
  'list-data-connections': nothing,
  'create-repository': body(newRepository),
  'get-repository': nothing,
  'get-repository-overview': nothing,
  'update-repository': body(() => ({ meta: repositoryMeta, state: 'unlisted' })),
  'disable-repository': enabling(ofRepository),
  'enable-repository': nothing,
  'change-data-mode': body(() => ({ data_mode: 'private' })),
  'delete-repository': ({ place }) => ({ body: { confirm: repositoryScope(place) } }),
  'offer-transfer': async ({ world }) => ({ body: { to: (await world.newPerson()).account_id } }),
  'list-transfers': nothing,
  'accept-transfer': offered,
  'decline-transfer': offered,
  'withdraw-transfer': offer,
  'list-account-repositories': nothing,
  'list-account-permissions': nothing,
  'list-repository-permissions': nothing,
  'search-accounts': () => ({ path: { repository_id: undefined } }),
  'search-accounts of a repository': nothing,
  'list-catalogue': nothing,
  'create-service-account': body(() => ({ name: `robot-${shortId()}` })),
  'list-service-accounts': nothing,
  'get-service-account': nothing,
  'get-client-settings': nothing,
  'update-service-account': body(() => ({ description: 'Uploads at night' })),
  'delete-service-account': newServiceAccount,
  'disable-service-account': newServiceAccount,
  'enable-service-account': nothing,
  'issue-service-account-key': async (stage) => ({
    ...(await newServiceAccount(stage)),
    body: { label: 'build', expiry: '30d' },
  }),
  'list-service-account-keys': nothing,
  'revoke-service-account-key': serviceAccountKey(),
  'change-service-account-key-expiry': serviceAccountKey({ expiry: '1y' }),
  'put-grant': body(() => ({ access: 'read_write' })),
  'list-grants': nothing,
  'remove-grant': grant,
  'trust-workflow': body(workflow),
  'list-trusted-workflows': nothing,
  'remove-trusted-workflow': trusted,
  'create-data-credentials': body(() => ({ role: 'ReadOnly' })),
  'get-session': nothing,
  'revoke-found-key': body(() => ({ key: issueServiceAccountKey(systemRandom) })),
  'revoke-found-keys': body(() => ({ keys: [issueServiceAccountKey(systemRandom)] })),
  'get-health': nothing,
  'get-openapi': nothing,
  'get-docs': nothing,
  'report-found-keys': nothing,
  'answer-unknown-route': nothing,
};
