import { grantSchema } from '../../lib/domain/service-accounts/service-accounts.ts';
import { buildIndex } from '../../lib/search/build-index.ts';
import { encode } from '../../lib/store/codec.ts';
import { keys, listPosition, lists } from '../../lib/store/keys.ts';
import { encodeEntry } from '../../lib/store/memberships/memberships.ts';
import { encodeRepository } from '../../lib/store/repositories/repositories.ts';
import type { TableItems } from '../functions/table-items.ts';
import {
  account,
  connection,
  createOrganization,
  invite,
  made,
  repository,
  signUpAdmin,
  signUpFounder,
} from '../functions/users.ts';
import { makeReady } from '../functions/versions-of-repositories.ts';
import { newMembership, newRepository } from '../lib/store/open-store.ts';
import { connectByRole, successful } from '../service/account-storage.ts';
import type { Client, TestService } from '../service/test-service.ts';

/** The number of items of each kind that other users create to slow down the requests of a user. */
export const sizes = { invitations: 10_000, hidden: 5000, grants: 1000, catalogue: 10_000, keys: 490 };

/** Owners of the repositories in the catalogue. */
const publishers = 20;
const momentOf = (index: number) => new Date(Date.UTC(2028, 0, 1) + index * 1000).toISOString();

export interface HostileFixture {
  admin: Client;
  /** A user with all the invitations. This user owns the account with the hidden repositories. */
  victim: Client;
  /** API keys of the attacked account, and of one of its repositories. */
  apiKey: { access_key_id: string; secret_access_key: string };
  serviceAccountKey: string;
  /** The ID of a repository on storage of the attacked account, which the service reads through an IAM role. */
  repositoryByRole: string;
  /** The values of path parameters, by parameter name. */
  names: Readonly<Record<string, string>>;
}

export async function buildHostileFixture(service: TestService, table: TableItems): Promise<HostileFixture> {
  const admin = await signUpAdmin(service);
  const victim = await signUpFounder(service, admin, 'victim');
  await signUpFounder(service, admin, 'other');
  await createOrganization(victim, 'hermit');
  const { endpoint, bucket, region, access_key_id, secret_access_key } = service.storage;
  const details = { provider: 's3', bucket, base_prefix: '', region, endpoint };
  const authentication = { type: 's3_access_key', access_key_id, secret_access_key };
  await made(admin('POST', '/data-connections', connection('store-one', { details, authentication })));
  await made(victim('POST', '/repositories/hermit', repository('gauges')));
  const repositoryByRole = 'gauges-by-role';
  const data_connection_id = 'store-by-role';
  await connectByRole(service, successful(victim), { account_id: 'hermit', data_connection_id });
  await made(victim('POST', '/repositories/hermit', repository(repositoryByRole, { data_connection_id })));
  await makeReady(service, (await made(victim('POST', '/repositories/hermit/gauges/versions', { name: 'v1' }))).body);
  const doomed = '/repositories/hermit/doomed';
  await made(victim('POST', '/repositories/hermit', repository('doomed')));
  await made(victim('POST', `${doomed}/disable`));
  const deleted = await made(victim('POST', `${doomed}/delete`, { confirm: 'hermit/doomed', delete_files: true }));
  await made(victim('POST', '/accounts/hermit/service-accounts', { name: 'sync' }));
  const serviceAccount = '/service-accounts/hermit--sync';
  const key = await made(victim('POST', `${serviceAccount}/keys`, { label: 'one', expiry: '30d' }));
  const workflow = await made(
    victim('POST', `${serviceAccount}/trusted-workflows`, { repository: 'tides/pipelines', branch: 'main' }),
  );
  const trusted = { issuer: 'https://gitlab.tides.example', kind: 'gitlab' };
  const issuer = await made(victim('POST', '/accounts/hermit/issuers', trusted));
  const farAhead = { name: 'k', expires: '2090-01-01T00:00:00Z' };
  const apiKey = await made(victim('POST', '/accounts/victim/api-keys', farAhead));
  const revocable = await made(victim('POST', '/accounts/hermit/api-keys', farAhead));
  const membership_id = await invite(victim, 'hermit', 'other', 'read_data');
  await made(admin('POST', '/accounts', account('robot', 'service')));
  const uid = String((await table.find('ACCOUNT#hermit--sync', 'ACCOUNT'))?.['uid']);
  await table.stopStream();

  const hidden = range(sizes.hidden, (index) =>
    newRepository('hermit', `hidden-${index}`, { published: momentOf(index), data_mode: 'private' }),
  );
  const shown = range(sizes.catalogue, (index) =>
    newRepository(`publisher-${index % publishers}`, `open-${index}`, { published: momentOf(index) }),
  );
  await table.putAll([
    ...range(publishers, (index) => ({
      ...keys.account(`publisher-${index}`),
      ...{ entity: 'account', account_type: 'organization', disabled: false, profile: {}, flags: [], version: 1 },
      ...{ account_id: `publisher-${index}`, identity_id: `organization:publisher-${index}`, created_at: momentOf(0) },
    })),
    // The accounts that the first page of the newest invitations contains.
    ...range(1200, (index) => {
      const account_id = `spammer-${sizes.invitations - 1 - index}`;
      return {
        ...keys.account(account_id),
        ...{
          entity: 'account',
          account_type: 'organization',
          disabled: false,
          profile: { name: 'Spam' },
          flags: [],
          version: 1,
        },
        ...{ account_id, identity_id: `organization:${account_id}`, created_at: momentOf(0) },
      };
    }),
    ...[...hidden, ...shown].map(encodeRepository),
    ...range(sizes.invitations, (index) =>
      encodeEntry({
        ...newMembership('victim', `spammer-${index}`),
        created_at: momentOf(index),
        state_changed: momentOf(index),
      }),
    ),
    ...range(sizes.grants, (index) => {
      const grant = grantSchema.parse({ repository_id: `hidden-${index}`, access: 'read' });
      const list = { partition: lists.grants(uid), position: listPosition(momentOf(index), grant.repository_id) };
      const record = { ...grant, repository_uid: hidden[index]?.uid };
      return encode('grant', record, { key: keys.grant(uid, grant.repository_id), list });
    }),
    ...range(sizes.keys, (index) => revokedApiKey(index)),
    ...range(sizes.keys, (index) => revokedKey(uid, index)).flat(),
  ]);
  const { store, clock, random } = service.services;
  await buildIndex({ store, clock, random });
  return {
    admin,
    victim,
    apiKey: apiKey.body,
    serviceAccountKey: key.body.key,
    repositoryByRole,
    names: {
      account_id: 'hermit',
      repository_id: 'gauges',
      version_name: 'v1',
      membership_id,
      access_key_id: revocable.body.access_key_id,
      service_account_id: 'hermit--sync',
      key_id: key.body.key_id,
      workflow_id: workflow.body.workflow_id,
      issuer_id: issuer.body.issuer_id,
      deletion_id: deleted.body.file_deletion.deletion_id,
      data_connection_id: 'store-one',
      blocked_account_id: 'other',
      transfer_id: '00000000-0000-4000-8000-000000000000',
    },
  };
}

function range<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function revokedApiKey(index: number) {
  const access_key_id = `SCAK${'A'.repeat(13)}${index.toString().padStart(3, '0').replaceAll('0', 'A').replaceAll('1', 'B').replaceAll('8', 'C').replaceAll('9', 'D')}`;
  const created_at = momentOf(index);
  const record = {
    access_key_id,
    account_id: 'hermit',
    name: 'k',
    secret_version: 1,
    secret_hash: '',
    created_at,
    created_by: 'victim',
  };
  return encode(
    'api_key',
    { ...record, disabled: true, expires: '2090-01-01T00:00:00.000Z' },
    {
      key: keys.apiKey(access_key_id),
      list: { partition: lists.apiKeys('hermit'), position: listPosition(created_at, access_key_id) },
    },
  );
}

function revokedKey(uid: string, index: number) {
  const key_id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const [key_hash, created_at] = [`hash-${index}`, momentOf(index)];
  const record = { service_account_id: 'hermit--sync', service_account_uid: uid, label: 'k', created_by: 'victim' };
  const times = { expires_at: null, last_used_at: null, revoked_at: created_at, created_at };
  return [
    encode('service_account_key', { ...record, ...times, key_id, key_hash }, { key: keys.serviceKey(key_hash) }),
    encode(
      'service_account_key_pointer',
      { key_id, key_hash, created_by: 'victim' },
      { key: keys.serviceKeyPointer(uid, key_id) },
    ),
  ];
}
