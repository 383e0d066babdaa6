import { randomUUID } from 'node:crypto';
import { routePath } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';
import { invite, made } from '../functions/users.ts';
import { isOfRepository, isOwned, type MatrixRow } from '../lib/domain/accounts/permissions/matrix.ts';
import type { CallerKind } from '../lib/domain/accounts/permissions/matrix-shape.ts';
import type { Client } from '../service/test-service.ts';
import { exampleBody, filledPath } from './example-requests.ts';
import { type Fixture, type Place, repositoryMeta, shortId, usedConnection } from './fixture.ts';

/** A request of an operation that succeeds for an allowed caller. */
export interface Attempt {
  method: string;
  /** The path of the request, with its query. */
  path: string;
  body: unknown;
  /** Clients for kinds of caller that depend on the target of this request. */
  as: Readonly<Partial<Record<CallerKind, Client>>>;
  /** Reverts the change that a successful request made. */
  undo?: (() => Promise<unknown>) | undefined;
}

interface Stage {
  row: MatrixRow;
  fixture: Fixture;
  place: Place;
  kind: CallerKind;
}

/** The difference between a test request and the request in the operation's example. */
interface Change extends Partial<Pick<Attempt, 'body' | 'as' | 'undo'>> {
  ids?: Readonly<Record<string, string | undefined>>;
}
type Prepare = (stage: Stage) => Change | Promise<Change>;

/** Prepares the request for one operation and one kind of caller. */
export async function prepareRequest(fixture: Fixture, row: MatrixRow, kind: CallerKind): Promise<Attempt> {
  const { operation } = row;
  const place = fixture.place(row.scope);
  const stage = { row, fixture, place, kind };
  const changes: Change[] = [];
  for (const parameter of pathParameterNames(operation.path)) {
    const change = await resources[parameter]?.(stage);
    if (change !== undefined) changes.push(change);
  }
  if (operation.name.startsWith('invite-')) changes.push(await invitation(stage));
  const exception = await exceptions[operation.name]?.(stage);
  if (exception !== undefined) changes.push(exception);
  const { account_id, repository_id, service_account_id } = place;
  const { data_connection_id } = usedConnection;
  const ids = Object.assign(
    { account_id, repository_id, service_account_id, data_connection_id },
    ...changes.map((change) => change.ids),
  );
  return {
    // An operation that accepts any method is tested with POST.
    method: operation.method === 'ANY' ? 'POST' : operation.method,
    path: filledPath(routePath(operation), operation, ids),
    body: exampleBody(operation),
    as: {},
    ...Object.assign({}, ...changes),
  };
}

const ofAccount = ({ account_id }: Place) => `/accounts/${account_id}`;
const ofRepository = ({ account_id, repository_id }: Place) => `/repositories/${account_id}/${repository_id}`;
const ofServiceAccount = ({ service_account_id }: Place) => `/service-accounts/${service_account_id}`;
/** Returns the account or the repository that the row is about. */
const scopeOf = ({ row, place }: Stage) =>
  isOfRepository(row.name) ? `${place.account_id}/${place.repository_id}` : place.account_id;

const invitation: Prepare = async ({ fixture }) => ({
  body: { account_id: (await fixture.newUser()).account_id, role: 'read_data' },
});

/** Creates the resource that a path parameter names, for each request. */
const resources: Readonly<Record<string, Prepare>> = {
  /** Invites a new user, who answers as the kind of caller `invited`. */
  membership_id: async (stage) => {
    const { account_id, client } = await stage.fixture.newUser();
    const membership_id = await invite(stage.place.manager, scopeOf(stage), account_id, 'write_data');
    return { ids: { membership_id }, as: { invited: client } };
  },
  /** Creates a link to the target's repository, or to a new user's repository for a request without a target. */
  invitation_link_id: async ({ row: { operation, scope }, place, fixture }) => {
    // A platform service account owns no repositories.
    if (scope === 'service' && operation.target === 'repository') return { ids: { invitation_link_id: randomUUID() } };
    if (operation.target === 'nothing') {
      const { account_id, client } = await fixture.newUser();
      const { body } = await made(client('POST', `/accounts/${account_id}/invitation-links`, { role: 'read_data' }));
      return { ids: { invitation_link_id: body.invitation_link_id }, body: { secret: body.secret } };
    }
    // The number of links of a scope is limited, so the callers share one link.
    const path = `${operation.target === 'repository' ? ofRepository(place) : ofAccount(place)}/invitation-links`;
    const { body: existing } = await made(place.manager('GET', path));
    const [{ invitation_link_id }] =
      existing.length > 0 ? existing : [(await made(place.manager('POST', path, { role: 'read_data' }))).body];
    return { ids: { invitation_link_id } };
  },
  /** A link to the target's repository, or to a new user's repository for a request without a target. */
  link_id: async ({ row: { operation, scope }, place, fixture }) => {
    if (scope === 'service') return { ids: { link_id: randomUUID() } };
    const { manager, ...names } = operation.target === 'nothing' ? fixture.place('user') : place;
    const path = `${ofRepository({ ...names, manager })}/links`;
    const { body } = await made(manager('POST', path, { prefix: '', expires_in_days: 1 }));
    const { link_id, secret } = body;
    return { ids: { link_id }, ...(operation.target === 'nothing' ? { body: { secret } } : {}) };
  },
  access_key_id: async ({ row, place }) => {
    const path = isOfRepository(row.name) ? ofRepository(place) : ofAccount(place);
    const key = { name: 'to be revoked', expires: '2090-01-01T00:00:00Z' };
    const { body } = await made(place.manager('POST', `${path}/api-keys`, key));
    return { ids: { access_key_id: body.access_key_id } };
  },
  key_id: async (stage) => {
    const { ids } = await newServiceAccount(stage);
    const key = { label: 'build', expiry: '30d' };
    const { body } = await made(stage.place.manager('POST', `/service-accounts/${ids.service_account_id}/keys`, key));
    return { ids: { ...ids, key_id: body.key_id } };
  },
  workflow_id: async ({ place }) => {
    const { body } = await made(place.manager('POST', `${ofServiceAccount(place)}/trusted-workflows`, newWorkflow()));
    return { ids: { workflow_id: body.workflow_id } };
  },
  // The number of issuers of an account is limited, so the callers share one issuer.
  issuer_id: async ({ place, row: { scope } }) => {
    // A platform service account registers no issuers.
    if (scope === 'service') return { ids: { issuer_id: randomUUID() } };
    const path = `${ofAccount(place)}/issuers`;
    const { body: existing } = await made(place.manager('GET', path));
    const [{ issuer_id }] =
      existing.length > 0 ? existing : [(await made(place.manager('POST', path, newIssuer()))).body];
    return { ids: { issuer_id } };
  },
  // The number of connections of an account is limited, so the callers share one connection.
  data_connection_id: async ({ row: { name }, place }) => {
    if (!isOwned(name)) return {};
    const path = `${ofAccount(place)}/data-connections`;
    const { body: existing } = await made(place.manager('GET', path));
    const [{ data_connection_id }] =
      existing.length > 0 ? existing : [(await made(place.manager('POST', path, newConnection()))).body];
    return { ids: { data_connection_id } };
  },
  version_name: async ({ place, row: { operation, scope }, fixture }) => {
    const name = `v-${shortId()}`;
    if (scope === 'service') return { ids: { version_name: name } };
    const { body } = await made(place.manager('POST', `${ofRepository(place)}/versions`, { name }));
    if (needsReadyVersion.has(operation.name)) await fixture.makeReady(body);
    return { ids: { version_name: name } };
  },
  // The number of simultaneous file deletions of an account is limited, so the callers share a deletion until one of
  // them stops it.
  deletion_id: async ({ place, row: { scope } }) => {
    if (scope === 'service') return { ids: { deletion_id: randomUUID() } };
    const { body: deletions } = await made(place.manager('GET', `${ofAccount(place)}/file-deletions`));
    const waiting = deletions.find(({ state }: { state: string }) => state === 'waiting');
    if (waiting !== undefined) return { ids: { deletion_id: waiting.deletion_id } };
    const repository_id = `gone-${shortId()}`;
    const path = `/repositories/${place.account_id}/${repository_id}`;
    await made(place.manager('POST', `/repositories/${place.account_id}`, newRepository(repository_id)));
    await made(place.manager('POST', `${path}/disable`));
    const confirm = `${place.account_id}/${repository_id}`;
    const { body } = await made(place.manager('POST', `${path}/delete`, { confirm, delete_files: true }));
    return { ids: { deletion_id: body.file_deletion.deletion_id } };
  },
  blocked_account_id: async ({ fixture }) => ({ ids: { blocked_account_id: (await fixture.newUser()).account_id } }),
  transfer_id: async ({ row, fixture, place }) => {
    const { account_id, client } = await fixture.newUser();
    const isIncoming = row.operation.target === 'incoming_transfer';
    const sender = isIncoming ? client : place.manager;
    const from = isIncoming ? { ...place, account_id, repository_id: `new-${shortId()}` } : place;
    if (isIncoming) await made(client('POST', `/repositories/${account_id}`, newRepository(from.repository_id)));
    const to = isIncoming ? place.account_id : account_id;
    const { body } = await made(sender('POST', `${ofRepository(from)}/transfers`, { to }));
    return { ids: { transfer_id: body.transfer_id } };
  },
};

/** Operations that are refused before the freeze of a version has ended. */
const needsReadyVersion = new Set([
  'verify-version',
  'withdraw-version',
  'get-version-citation',
  'update-version-doi',
  'register-version-doi',
]);

const newServiceAccount = async ({ place }: Stage) => {
  const name = `robot-${shortId()}`;
  const { body } = await made(place.manager('POST', `${ofAccount(place)}/service-accounts`, { name }));
  return { ids: { service_account_id: String(body.service_account_id) } };
};
const newWorkflow = () => ({ repository: 'tides/pipelines', branch: `branch-${shortId()}` });
const newIssuer = () => ({ issuer: `https://${shortId()}.tides.example`, kind: 'gitlab' });
const newConnection = () => ({ ...usedConnection, data_connection_id: `store-${shortId()}` });
/** Returns the request with its own data connection, which the operation may delete. */
const deletedConnection: Prepare = async ({ row: { name }, place, fixture }) => {
  const [by, path] = isOwned(name)
    ? [place.manager, `${ofAccount(place)}/data-connections`]
    : [fixture.root, '/data-connections'];
  const details = { ...usedConnection.details, bucket: `deleted-${shortId()}` };
  const { body } = await made(by('POST', path, { ...newConnection(), details }));
  const { data_connection_id } = body;
  return { ids: { data_connection_id }, body: { confirm: data_connection_id } };
};
const newRepository = (repository_id: string) => ({
  ...{ repository_id, data_mode: 'open', meta: repositoryMeta },
  data_connection_id: usedConnection.data_connection_id,
});

/** Operations whose example is not a sufficient test request, with the reason. */
const exceptions: Readonly<Record<string, Prepare>> = {
  // An admin already has an account, so the new account is for another identity.
  'create-account': ({ kind, row: { scope } }) => ({
    body: {
      ...{ account_id: `new-${shortId()}`, account_type: scope, profile: {} },
      ...(kind === 'admin' && scope === 'user' ? { identity_id: `someone-${shortId()}` } : {}),
    },
  }),
  // Only an account of a user has flags.
  'update-account-flags': ({ row: { scope } }) => ({ body: scope === 'user' ? ['create_organizations'] : [] }),
  // Later callers need an enabled target. A platform service account has no repositories to enable.
  'disable-account': ({ fixture, place, row: { scope } }) => {
    const enabler = scope === 'organization' ? place.manager : fixture.root;
    return { undo: () => made(enabler('POST', `${ofAccount(place)}/enable`)) };
  },
  'disable-repository': ({ fixture, place, row: { scope } }) => ({
    undo: async () => scope === 'service' || made(fixture.root('POST', `${ofRepository(place)}/enable`)),
  }),
  // API keys create versions only if federated-only writes are off.
  'update-repository-settings': () => ({ body: { federated_only: false } }),
  // A new user deletes its own account, so that the target account still exists for the other callers.
  'delete-account': async ({ fixture, place, row: { scope }, kind }) => {
    if (scope !== 'user' || kind !== 'self') return { body: { confirm: place.account_id } };
    const { account_id, client } = await fixture.newUser();
    return { ids: { account_id }, body: { confirm: account_id }, as: { self: client } };
  },
  // The body repeats the names that are in the path.
  'delete-repository': ({ place }) => ({ body: { confirm: `${place.account_id}/${place.repository_id}` } }),
  'update-data-connection': async (stage) => {
    const ids = (await resources['data_connection_id']?.(stage))?.ids;
    return { body: { ...usedConnection, ...ids } };
  },
  'delete-data-connection': deletedConnection,
  // Each account ID can be created only once.
  'create-data-connection': () => ({ body: newConnection() }),
  'create-account-data-connection': () => ({ body: newConnection() }),
  'create-repository': () => ({ body: newRepository(`new-${shortId()}`) }),
  'create-version': () => ({ body: { name: `v-${shortId()}` } }),
  'create-service-account': () => ({ body: { name: `robot-${shortId()}` } }),
  'trust-workflow': () => ({ body: newWorkflow() }),
  'register-issuer': () => ({ body: newIssuer() }),
  // An account can receive only a few transfer offers a day.
  'offer-transfer': async ({ fixture }) => ({ body: { to: (await fixture.newUser()).account_id } }),
  // Only a user blocks accounts, not an organization.
  'unblock-account': async ({ place, row: { scope }, fixture }) => {
    const { account_id } = await fixture.newUser();
    if (scope === 'user') await made(place.manager('PUT', `${ofAccount(place)}/blocked-accounts/${account_id}`));
    return { ids: { blocked_account_id: account_id } };
  },
  // Each request gets a new service account, because a service account may have only a few keys.
  'delete-service-account': newServiceAccount,
  'disable-service-account': newServiceAccount,
  'issue-service-account-key': newServiceAccount,
  // Creates the grant first, so that the request can remove it.
  'remove-grant': async ({ place }) => {
    await made(place.manager('PUT', `${ofServiceAccount(place)}/grants/${place.repository_id}`, { access: 'read' }));
    return {};
  },
  // Without a repository, the scope of the request is the account.
  'search-accounts': ({ row }) => (isOfRepository(row.name) ? {} : { ids: { repository_id: undefined } }),
};
