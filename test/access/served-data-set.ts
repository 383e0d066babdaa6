import { expect } from 'vitest';
import { account, invite, made } from '../functions/users.ts';
import type { SignerOptions } from '../lib/sigv4/signed-request.ts';
import type { Caller, DataSet } from '../model/data-set.ts';
import { signIn } from '../service/data-clients.ts';
import type { Client, TestService } from '../service/test-service.ts';
import { userToken } from '../service/user-tokens.ts';

/**
 * The two admins that create the data. One of them owns the organizations, so the other admin runs the platform's
 * operations.
 */
export const makers = { root: 'admin', warden: 'warden' } as const;
const makerAccounts = { root: 'site-admin', warden: 'site-warden' } as const;

/** Data in the service, with the credentials of its callers. `dataSet` is the data for the model. */
export interface ServedDataSet {
  dataSet: DataSet;
  clients: Map<string, Client>;
  signers: Map<string, SignerOptions>;
  sessions: { caller: Extract<Caller, { kind: 'session' }>; signer: SignerOptions }[];
  signInKeys: Map<string, string>;
  /** Internal IDs of the repositories in each transfer, as the model names them. */
  offered: Map<string, string>;
}

/** Returns the same data with names that are unique in the service. */
export function renamed<T>(value: T, suffix: string): T {
  const names = /\b(ann|bob|cyd|harbour|lights|loader|newcomer|(?:open|flag|frozen)-store)\b/g;
  return JSON.parse(JSON.stringify(value).replaceAll(names, `$1-${suffix}`));
}

/**
 * Returns the data with each name created only once. Rights for a deleted repository become rights for the current one
 * with the same name.
 */
function ofFirstGeneration(dataSet: DataSet): DataSet {
  const isThere = (of: string, id: string) => dataSet.repositories.some((one) => one.account === of && one.id === id);
  const isOfSomething = ({ account: of, repository }: DataSet['memberships'][number] | DataSet['keys'][number]) =>
    repository === undefined || isThere(of, repository.id);
  const all = {
    ...dataSet,
    memberships: dataSet.memberships.filter(isOfSomething),
    keys: dataSet.keys.filter(isOfSomething),
    grants: dataSet.grants.filter(({ serviceAccount, repository }) => {
      const [of = ''] = serviceAccount.slice('uid-'.length).split('--');
      const isServing = dataSet.accounts.some(({ uid }) => uid === serviceAccount);
      return isServing && isThere(of, repository.split('/')[1] ?? '');
    }),
  };
  return JSON.parse(JSON.stringify(all).replaceAll(/("uid-[^"/]+\/[^"/]+)\/\d"/g, '$1/1"'));
}

/** Creates the accounts of the two admins who create all generated data, once for each service. */
export async function makeGround(service: TestService): Promise<void> {
  for (const maker of ['root', 'warden'] as const) {
    const client = await service.user(makers[maker]);
    await made(client('POST', '/accounts', account(makerAccounts[maker])));
  }
}

const repositoryBody = { meta: { title: 'Tides', description: '', tags: '' } };
const soonMs = 60_000;
const roles = ['FullAccess', 'ReadOnly'] as const;
const workflow = { repository: 'tides/pipelines', branch: 'main' };
export const workflowSubject = 'repo:tides/pipelines:ref:refs/heads/main';

/**
 * Creates generated data through the API. It omits data that the API cannot create, such as an organization that an
 * admin disabled.
 */
export async function serveDataSet(
  service: TestService,
  generated: DataSet,
  identities: readonly string[],
): Promise<ServedDataSet> {
  const root = await service.user(makers.root);
  const warden = await service.user(makers.warden);
  const dataSet = ofFirstGeneration(structuredClone(generated));
  const served: ServedDataSet = {
    dataSet,
    clients: new Map(),
    signers: new Map(),
    sessions: [],
    signInKeys: new Map(),
    offered: new Map(),
  };
  const clientOf = (id: string) =>
    served.clients.get(dataSet.accounts.find((one) => one.id === id)?.identity ?? '') ?? root;

  for (const identity of identities) served.clients.set(identity, await service.user(identity));
  await makeConnections(service, root, dataSet, undefined);
  for (const { id, type, identity, owner, flags } of dataSet.accounts) {
    if (owner === undefined)
      await made((identity === undefined ? root : clientOf(id))('POST', '/accounts', account(id, type)));
    else
      await made(clientOf(owner)('POST', `/accounts/${owner}/service-accounts`, { name: id.slice(owner.length + 2) }));
    if (type === 'user' && flags.length > 0) await made(root('PUT', `/accounts/${id}/flags`, flags));
    if (type === 'organization') {
      dataSet.memberships.push({ id: '', member: makerAccounts.root, account: id, role: 'owners', state: 'member' });
    }
  }
  const connected = new Set(dataSet.connections.flatMap(({ owner }) => owner ?? []));
  for (const owner of connected) await makeConnections(service, clientOf(owner), dataSet, owner);
  for (const { account: owner, id, mode, state, connection } of dataSet.repositories) {
    const body = { ...repositoryBody, repository_id: id, data_mode: mode, data_connection_id: connection };
    await made(root('POST', `/repositories/${owner}`, body));
    await made(root('PUT', `/repositories/${owner}/${id}`, { ...repositoryBody, state }));
  }
  // A member cannot be invited again, so revoked memberships come first.
  for (const membership of dataSet.memberships.toSorted(
    (a, b) => Number(b.state === 'revoked') - Number(a.state === 'revoked'),
  )) {
    if (membership.id === '') continue;
    const { account: of, repository, member, role, state } = membership;
    const inviter = repository === undefined ? clientOf(of) : root;
    membership.id = await invite(inviter, repository === undefined ? of : `${of}/${repository.id}`, member, role);
    if (state === 'member') await made(clientOf(member)('POST', `/memberships/${membership.id}/accept`));
    if (state === 'revoked') await made(root('POST', `/memberships/${membership.id}/revoke`));
  }
  await makeOffers(served, clientOf);
  await makeKeys(service, served, clientOf, root);
  await makeServiceAccountThings(service, served, clientOf);
  await makeUsersSessions(service, served, clientOf);
  for (const repository of dataSet.repositories.filter(({ disabledBy }) => disabledBy !== undefined)) {
    const by = repository.disabledBy === 'admin' ? warden : clientOf(repository.account);
    await made(by('POST', `/repositories/${repository.account}/${repository.id}/disable`));
  }
  for (const { id, owner } of dataSet.accounts.filter(({ disabledBy }) => disabledBy !== undefined)) {
    if (owner !== undefined) await made(clientOf(owner)('POST', `/service-accounts/${id}/disable`));
  }
  for (const one of dataSet.accounts.filter(
    ({ disabledBy, owner }) => disabledBy !== undefined && owner === undefined,
  )) {
    one.disabledBy = one.type === 'organization' ? 'owner' : 'admin';
    await made(root('POST', `/accounts/${one.id}/disable`));
  }
  for (const { id, readOnly } of dataSet.connections)
    if (readOnly) await made(root('DELETE', `/data-connections/${id}`));
  for (const { id } of dataSet.accounts.filter(({ disabledBy }) => disabledBy !== undefined)) endSessions(served, id);
  for (const maker of ['root', 'warden'] as const) {
    dataSet.accounts.push({
      id: makerAccounts[maker],
      uid: maker,
      type: 'user',
      disabledBy: undefined,
      flags: [],
      identity: makers[maker],
    });
    dataSet.configuredAdmins.push(makers[maker]);
  }
  return served;
}

/**
 * Ends the credentials that were issued before a service account or its owner was disabled. They stay invalid after it
 * is enabled.
 */
export function endSessions({ sessions }: ServedDataSet, accountId: string): void {
  for (const { caller } of sessions) {
    if (caller.account === accountId || caller.account.startsWith(`${accountId}--`)) caller.uid = 'ended';
  }
}

/** Creates the data connections of an account, or of the platform. */
async function makeConnections(
  service: TestService,
  by: Client,
  { connections }: DataSet,
  ownerId: string | undefined,
): Promise<void> {
  const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;
  const path = ownerId === undefined ? '/data-connections' : `/accounts/${ownerId}/data-connections`;
  for (const { id, modes, requiredFlag } of connections.filter(({ owner }) => owner === ownerId)) {
    await made(
      by('POST', path, {
        data_connection_id: id,
        name: id,
        read_only: false,
        allowed_data_modes: modes,
        ...(requiredFlag === undefined ? {} : { required_flag: requiredFlag }),
        details: { provider: 's3', bucket, base_prefix: `_${id}/`, region, endpoint },
        authentication: { type: 's3_access_key', access_key_id, secret_access_key },
      }),
    );
  }
}

/** Creates the possible transfers: of accounts with a repository, within the limits of transfers. */
async function makeOffers({ dataSet, offered }: ServedDataSet, clientOf: (id: string) => Client): Promise<void> {
  const transfers: DataSet['transfers'] = [];
  for (const { from, to } of dataSet.transfers) {
    const repository = dataSet.repositories.find(({ account: of }) => of === from);
    if (repository === undefined) continue;
    const { status, body } = await clientOf(from)('POST', `/repositories/${from}/${repository.id}/transfers`, { to });
    if (status !== 201) continue;
    transfers.push({ id: body.transfer_id, from, to });
    offered.set(body.transfer_id, repository.uid);
  }
  dataSet.transfers = transfers;
}

async function makeKeys(
  service: TestService,
  { dataSet, clients, signers }: ServedDataSet,
  clientOf: (id: string) => Client,
  root: Client,
): Promise<void> {
  for (const key of dataSet.keys) {
    const { account: of, repository, revoked, expired } = key;
    const path =
      repository === undefined ? `/accounts/${of}/api-keys` : `/repositories/${of}/${repository.id}/api-keys`;
    const expires = expired ? new Date(service.services.clock() + soonMs).toISOString() : '2999-01-01T00:00:00Z';
    const { body } = await made((repository ? root : clientOf(of))('POST', path, { name: 'k', expires }));
    key.id = body.access_key_id;
    clients.set(key.id, service.withAuthorization(`${key.id} ${body.secret_access_key}`));
    signers.set(key.id, { accessKeyId: key.id, secretAccessKey: body.secret_access_key });
    if (revoked) await made(root('DELETE', `/api-keys/${key.id}`));
  }
}

/** Creates a key, a trusted workflow, grants, and a session of each role, while sign-in is possible. */
async function makeServiceAccountThings(
  service: TestService,
  { dataSet, sessions, signInKeys }: ServedDataSet,
  clientOf: (id: string) => Client,
): Promise<void> {
  for (const { serviceAccount, repository, access } of dataSet.grants) {
    const [id = '', owner = ''] = [
      serviceAccount.slice('uid-'.length),
      serviceAccount.slice('uid-'.length).split('--')[0],
    ];
    await made(clientOf(owner)('PUT', `/service-accounts/${id}/grants/${repository.split('/')[1]}`, { access }));
  }
  for (const [index, { id, uid, owner }] of dataSet.accounts.entries()) {
    if (owner === undefined) continue;
    const { body } = await made(clientOf(owner)('POST', `/service-accounts/${id}/keys`, { label: 'k', expiry: '30d' }));
    for (const role of roles) {
      sessions.push({
        caller: { kind: 'session', account: id, uid, role, expired: false },
        signer: await signIn(service, body.key, { role }),
      });
    }
    const revoked = index % 3 === 0;
    if (revoked) await made(clientOf(owner)('DELETE', `/service-accounts/${id}/keys/${body.key_id}`));
    signInKeys.set(body.key_id, body.key);
    dataSet.signInKeys.push({ id: body.key_id, serviceAccount: uid, revoked, expired: false });
    if (index % 2 === 1) continue;
    await made(clientOf(owner)('POST', `/service-accounts/${id}/trusted-workflows`, workflow));
    dataSet.workflows.push({ subject: workflowSubject, serviceAccount: uid });
  }
}

/**
 * Creates credentials for each user's command-line tool in each role, and for a page for each repository that the user
 * may read.
 */
async function makeUsersSessions(
  service: TestService,
  { dataSet, sessions }: ServedDataSet,
  clientOf: (id: string) => Client,
): Promise<void> {
  for (const { id, uid, identity, type } of dataSet.accounts) {
    if (type !== 'user' || identity === undefined) continue;
    const token = await userToken(service, identity, service.identity.people.data_client_id);
    for (const role of roles) {
      const caller = { kind: 'session', account: id, uid, role, expired: false } as const;
      sessions.push({ caller: { ...caller }, signer: await signIn(service, token, { serviceAccountId: id, role }) });
      for (const { account: owner, id: name, uid: narrowedTo } of dataSet.repositories) {
        const asked = { role, repository: `${owner}/${name}` };
        const { status, body } = await clientOf(id)('POST', '/session/data-credentials', asked);
        // The service issues no credentials for a repository that the user may not read.
        if (status === 400) continue;
        expect(status).toBe(200);
        const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = body;
        sessions.push({
          caller: { ...caller, narrowedTo },
          signer: { accessKeyId, secretAccessKey, sessionToken },
        });
      }
    }
  }
}
