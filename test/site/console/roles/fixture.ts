import { seedNames } from '../../../../lib/local/seed.ts';
import { addMember, connection, invite, made, repository, signUp } from '../../../functions/users.ts';
import type { Account, DataSet } from '../../../model/data-set.ts';
import { ciToken } from '../../../service/data-clients.ts';
import { postExchange } from '../../../service/raw-exchange.ts';
import type { SeededService } from '../../../service/seeded-service.ts';
import type { Client } from '../../../service/test-service.ts';
import { closedAccount, organization, type Trier } from './action.ts';

/** Memberships of a caller in the organization and in its repositories. */
interface Role {
  name: string;
  role?: DataSet['memberships'][number]['role'];
  ofRepositories?: DataSet['memberships'][number]['role'];
  state?: 'invited';
  flags?: Account['flags'];
  identity?: string;
}

const roles: readonly Role[] = [
  { name: 'owner', role: 'owners', flags: ['create_organizations'] },
  { name: 'maintainer', role: 'maintainers' },
  { name: 'writer', role: 'write_data' },
  { name: 'reader', role: 'read_data' },
  { name: 'keeper', ofRepositories: 'maintainers' },
  { name: 'guest', ofRepositories: 'write_data' },
  { name: 'invited', role: 'maintainers', state: 'invited' },
  { name: 'outsider' },
  { name: seedNames.admin.account_id, identity: seedNames.admin.identity_id, flags: ['admin'] },
];

const trierOf = (name: string): Trier => ({
  name,
  mate: `mate-of-${name}`,
  repository: `charts-of-${name}`,
  disabled: `closed-of-${name}`,
  machine: `bot-of-${name}`,
  connection: `store-of-${name}`,
  ownConnection: `own-store-of-${name}`.slice(0, 40),
});
/** Each user changes only its own data, so that users do not interfere. */
export const everyone: readonly Trier[] = [...roles.map(({ name }) => trierOf(name)), trierOf('nobody')];

/** IDs that the service assigned, by the names in this file. */
export type RealIds = ReadonlyMap<string, string>;

/** Creates the same data twice: in the model, and through the API. */
export async function makeDataSet(service: SeededService): Promise<{ dataSet: DataSet; ids: RealIds }> {
  const admin = await service.user(seedNames.admin.identity_id);
  const ids = new Map<string, string>();
  const dataSet: DataSet = {
    accounts: [{ ...thing(organization), type: 'organization', flags: [] }],
    repositories: [],
    memberships: [],
    connections: [{ id: seedNames.data_connection_id, readOnly: false, modes: ['open', 'subscription', 'private'] }],
    keys: [],
    signInKeys: [],
    workflows: [],
    grants: [],
    transfers: [],
    configuredAdmins: [],
    links: [],
    endedSources: [],
  };
  const users = new Map<string, Client>([[seedNames.admin.account_id, admin]]);
  const join = async (id: string, flags: Account['flags'] = [], identity = id) => {
    if (!users.has(id)) users.set(id, await signUp(service, id));
    if (identity === id && flags.length > 0) await made(admin('PUT', `/accounts/${id}/flags`, flags));
    dataSet.accounts.push({ ...thing(id), type: 'user', flags, identity });
    return users.get(id) as Client;
  };
  const belongs = (id: string, member: string, role: Role['role'], state: 'member' | 'invited', of?: string) =>
    dataSet.memberships.push({
      id,
      account: organization,
      member,
      role: role ?? 'read_data',
      state,
      repository: of === undefined ? undefined : { id: of, uid: `${organization}/${of}` },
    });
  const boss = await join('boss', ['create_organizations']);
  const body = { account_id: organization, account_type: 'organization', profile: { name: 'Harbour' } };
  await made(boss('POST', '/accounts', body));
  belongs('boss', 'boss', 'owners', 'member');
  await join(closedAccount);
  await made(admin('POST', `/accounts/${closedAccount}/disable`));
  Object.assign(dataSet.accounts.at(-1) ?? {}, { disabledBy: 'admin' });
  for (const trier of everyone) {
    const { name, mate } = trier;
    const { role, ofRepositories, state = 'member', flags, identity } = roles.find((each) => each.name === name) ?? {};
    await join(mate);
    // The member that this user invites, makes a writer, and removes.
    belongs(mate, mate, 'read_data', 'invited');
    await makeRepositories(boss, dataSet, trier);
    await makeMachine(service, boss, { dataSet, ids }, trier);
    await makeConnections({ admin, boss }, dataSet, trier);
    await makeKeys(boss, { dataSet, ids }, trier);
    if (name === 'nobody') continue;
    const user = await join(name, flags, identity);
    if (role !== undefined) {
      if (state === 'member') ids.set(name, await addMember(boss, organization, user, name, role));
      else ids.set(name, await invite(boss, organization, name, role));
      belongs(name, name, role, state);
    }
    for (const id of ofRepositories === undefined ? [] : [trier.repository, trier.disabled]) {
      await addMember(boss, `${organization}/${id}`, user, name, String(ofRepositories));
      belongs(`${name}-${id}`, name, ofRepositories, 'member', id);
    }
    await made(boss('POST', `/repositories/${organization}/${trier.disabled}/disable`));
  }
  await made(boss('POST', `/repositories/${organization}/${trierOf('nobody').disabled}/disable`));
  const { body: members } = await made(boss('GET', `/accounts/${organization}/members`));
  for (const { account_id, membership_id } of members) ids.set(account_id, membership_id);
  return { dataSet, ids };
}

async function makeRepositories(
  boss: Client,
  dataSet: DataSet,
  { repository: enabled, disabled }: Trier,
): Promise<void> {
  const hidden = { data_mode: 'private', data_connection_id: seedNames.data_connection_id };
  for (const id of [enabled, disabled]) {
    await made(boss('POST', `/repositories/${organization}`, repository(id, hidden)));
    dataSet.repositories.push({
      id,
      uid: `${organization}/${id}`,
      disabledBy: id === disabled ? 'owner' : undefined,
      account: organization,
      mode: 'private',
      state: 'unlisted',
      connection: seedNames.data_connection_id,
    });
  }
}

type Made = { dataSet: DataSet; ids: Map<string, string> };

/** Creates a service account with a grant, a key, a trusted workflow, and a refused sign-in. */
async function makeMachine(service: SeededService, boss: Client, { dataSet, ids }: Made, trier: Trier): Promise<void> {
  const { machine: name, disabled } = trier;
  const id = `${organization}--${name}`;
  await made(boss('POST', `/accounts/${organization}/service-accounts`, { name }));
  await made(boss('PUT', `/service-accounts/${id}/grants/${disabled}`, { access: 'read' }));
  const key = await made(boss('POST', `/service-accounts/${id}/keys`, { label: 'old', expiry: 'never' }));
  const trusted = { repository: `harbour/${name}`, branch: 'main' };
  const workflow = await made(boss('POST', `/service-accounts/${id}/trusted-workflows`, trusted));
  const sub = `repo:harbour/${name}:ref:refs/heads/other`;
  const RoleArn = `arn:aws:iam::${id}:role/FullAccess`;
  await postExchange(service, { RoleArn, WebIdentityToken: await ciToken(service, { sub }) });
  ids.set(`${id} key`, key.body.key_id).set(`${id} workflow`, workflow.body.workflow_id);
  dataSet.accounts.push({ ...thing(id), type: 'service', flags: [], owner: organization });
}

async function makeConnections(
  { admin, boss }: { admin: Client; boss: Client },
  dataSet: DataSet,
  { connection: id, ownConnection: own }: Trier,
): Promise<void> {
  const at = (base_prefix: string) => ({
    details: { provider: 's3', bucket: 'some-bucket', base_prefix, region: 'eu-west-1' },
  });
  await made(admin('POST', '/data-connections', connection(id, at(`${id}/`))));
  dataSet.connections.push({ id, readOnly: false, modes: ['open', 'private'] });
  await made(boss('POST', `/accounts/${organization}/data-connections`, connection(own, at(`${own}/`))));
  dataSet.connections.push({ id: own, readOnly: false, modes: ['open', 'private'], owner: organization });
}

async function makeKeys(boss: Client, { dataSet, ids }: Made, { name, repository: of }: Trier): Promise<void> {
  for (const repositoryId of [undefined, of]) {
    const id = `${repositoryId === undefined ? 'account' : 'repository'} key of ${name}`;
    const at = repositoryId === undefined ? 'accounts' : 'repositories';
    const scope = repositoryId === undefined ? organization : `${organization}/${repositoryId}`;
    const body = { name: id, expires: '2099-01-01T00:00:00Z' };
    const { body: key } = await made(boss('POST', `/${at}/${scope}/api-keys`, body));
    ids.set(id, key.access_key_id);
    dataSet.keys.push({
      id,
      account: organization,
      repository: repositoryId === undefined ? undefined : { id: repositoryId, uid: `${organization}/${repositoryId}` },
      revoked: false,
      expired: false,
    });
  }
}

const thing = (id: string) => ({ id, uid: id, disabledBy: undefined });
