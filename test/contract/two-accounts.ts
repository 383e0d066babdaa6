import { expiryMarkerEntity } from '../../lib/domain/service-accounts/key-expiry.ts';
import type { TableItems } from '../functions/table-items.ts';
import { addMember, createOrganization, invite, made, newKey, signUp, signUpFounder } from '../functions/users.ts';
import type { Client, TestService } from '../service/test-service.ts';
import { repositoryMeta, usedConnection } from './fixture.ts';

/**
 * One of two neighbors: a user account and an organization, each with repositories, service accounts, members, and
 * keys. Every ID that a user chooses begins with the neighbor's name, except a repository `shared` in each
 * organization.
 */
export interface Neighbour {
  name: string;
  /** Existing IDs, by the name of their path parameter. */
  ids: Readonly<Record<string, readonly string[]>>;
  /** API clients with rights, by kind of caller. */
  callers: Readonly<Record<string, Client>>;
}

export async function buildNeighbour(service: TestService, admin: Client, name: string): Promise<Neighbour> {
  const user_id = `${name}-user`;
  const organization_id = `${name}-org`;
  const guest_id = `${name}-guest`;
  const user = await signUpFounder(service, admin, user_id);
  await createOrganization(user, organization_id);
  const guest = await signUp(service, guest_id);

  const ids: Record<string, string[]> = {
    account_id: [organization_id, user_id, `${organization_id}--sync`],
    repository_id: [`${name}-data`, 'shared'],
    membership_id: [],
    access_key_id: [],
    service_account_id: [],
    key_id: [],
    workflow_id: [],
    issuer_id: [],
    version_name: [`${name}-v1`],
    transfer_id: [],
  };
  const keyIds = async (path: string) => {
    const { body } = await made(user('GET', `${path}/api-keys`));
    return body.map((key: { access_key_id: string }) => key.access_key_id);
  };
  const callers: Record<string, Client> = { user };
  for (const account_id of [organization_id, user_id]) {
    const ofAccount = `/accounts/${account_id}`;
    for (const repository_id of [`${name}-data`, 'shared']) {
      await made(user('POST', `/repositories/${account_id}`, newRepository(repository_id)));
    }
    const ofRepository = `/repositories/${account_id}/shared`;
    const invitation = await invite(user, account_id, guest_id, 'read_data');
    const membership = await addMember(user, `${account_id}/shared`, guest, guest_id, 'owners');
    const { body: offer } = await made(user('POST', `${ofRepository}/transfers`, { to: guest_id }));
    await made(user('POST', `${ofRepository}/versions`, { name: `${name}-v1` }));
    ids['membership_id']?.push(invitation, membership);
    ids['transfer_id']?.push(offer.transfer_id);
    callers[`key of ${account_id}`] = (await newKey(service, user, `${ofAccount}`)).client;
    callers[`key of a repository of ${account_id}`] = (await newKey(service, user, `${ofRepository}`)).client;
    ids['access_key_id']?.push(...(await keyIds(ofAccount)), ...(await keyIds(ofRepository)));

    const { body: robot } = await made(user('POST', `${ofAccount}/service-accounts`, { name: 'sync' }));
    const ofRobot = `/service-accounts/${robot.service_account_id}`;
    const { body: key } = await made(user('POST', `${ofRobot}/keys`, { label: 'build', expiry: 'never' }));
    await made(user('PUT', `${ofRobot}/grants/${name}-data`, { access: 'read_write' }));
    const run = { repository: `${name}/pipelines`, branch: 'main' };
    const { body: workflow } = await made(user('POST', `${ofRobot}/trusted-workflows`, run));
    const trusted = { issuer: `https://${name}.tides.example`, kind: 'gitlab' };
    const { body: issuer } = await made(user('POST', `${ofAccount}/issuers`, trusted));
    ids['issuer_id']?.push(issuer.issuer_id);
    ids['service_account_id']?.push(robot.service_account_id);
    ids['key_id']?.push(key.key_id);
    ids['workflow_id']?.push(workflow.workflow_id);
  }
  callers['an owner of its shared repository'] = guest;
  return { name, ids, callers };
}

function newRepository(repository_id: string) {
  const { data_connection_id } = usedConnection;
  return { repository_id, data_mode: 'private', meta: repositoryMeta, data_connection_id };
}

/**
 * Returns the table items that contain a neighbor's name, or the internal ID of one of its service accounts, by key.
 */
export async function itemsOf(table: TableItems, { name }: Neighbour): Promise<Record<string, unknown>> {
  // The stream consumers write these items later, independently of a test's request.
  const items = (await table.all()).filter(({ entity }) => entity !== 'feed' && entity !== expiryMarkerEntity);
  const uids = items
    .filter(({ service_account_id, uid }) => String(service_account_id).startsWith(name) && typeof uid === 'string')
    .map(({ uid }) => String(uid));
  const own = items.filter((item) => [name, ...uids].some((word) => JSON.stringify(item).includes(word)));
  return Object.fromEntries(own.map((item) => [`${item['pk']} ${item['sk']}`, item]));
}
