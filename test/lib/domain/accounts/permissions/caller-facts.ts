import type { Account, AccountFlag, AccountRecord } from '../../../../../lib/domain/accounts/accounts.ts';
import type { Caller } from '../../../../../lib/domain/accounts/callers.ts';
import type { MembershipRole } from '../../../../../lib/domain/accounts/memberships.ts';
import type { RepositoryRecord } from '../../../../../lib/domain/data/repositories.ts';
import type { LoadedRequestData } from '../../../../../lib/http/targets.ts';
import { isOfRepository, type MatrixRow } from './matrix.ts';
import type { CallerKind } from './matrix-shape.ts';

/** Callers and their stored records, built by hand to test the rules without a table. */

const at = '2030-01-01T00:00:00.000Z';

export function account(account_id: string, about: Partial<Account> = {}): Account {
  return {
    account_id,
    account_type: 'user',
    identity_id: account_id,
    disabled: false,
    profile: {},
    flags: [],
    ...about,
  };
}

export function person(of: Account | null): Caller {
  const identity_id = of?.identity_id ?? 'newcomer';
  return { kind: 'person', issuer: 'https://people.example.org', identity_id, account: of, isConfiguredAdmin: false };
}

const userKey = (of: Account): Caller => ({ kind: 'user_key', access_key_id: 'SCAKAAAAAAAAAAAAAAAA', account: of });
const dataKey = (of: Account, repository_id?: string): Caller => ({
  kind: 'data_key',
  access_key_id: 'SCAKAAAAAAAAAAAAAAAA',
  account: of,
  repository_id,
});

export function callerOf(kind: CallerKind, target: Account): Caller {
  const creator: AccountFlag[] = ['create_organizations'];
  const self = target.account_type === 'user' ? target : account('self', { flags: creator });
  const organization =
    target.account_type === 'organization' ? target : account('tides', { account_type: 'organization' });
  switch (kind) {
    case 'anonymous':
      return { kind: 'anonymous' };
    case 'newcomer':
      return person(null);
    case 'self':
      return person(self);
    case 'disabled_user':
      return person({ ...self, flags: ['create_organizations', 'create_repositories'], disabled: true });
    case 'disabled_admin':
      return person(account('boss', { flags: ['admin'], disabled: true }));
    case 'self_key':
      return userKey(self);
    case 'owner_key':
      return userKey(account('owner'));
    case 'admin_key':
      return userKey(account('boss', { flags: ['admin'] }));
    case 'service_key':
      return dataKey(target.account_type === 'service' ? target : account('robot', { account_type: 'service' }));
    case 'organization_key':
      return dataKey(organization);
    case 'repository_key':
      return dataKey(target.account_type === 'service' ? organization : target, 'gauges');
    case 'admin':
      return person(account('boss', { flags: ['admin'] }));
    default:
      return person(account(kind.replaceAll('_', '-')));
  }
}

/** Active roles. An invitation and a revoked membership give no role. */
const accountRoles: Partial<Record<CallerKind, MembershipRole>> = {
  owners: 'owners',
  maintainers: 'maintainers',
  read_data: 'read_data',
  write_data: 'write_data',
  disabled_user: 'owners',
  owner_key: 'owners',
};
const repositoryRoles: Partial<Record<CallerKind, MembershipRole>> = {
  repository_owners: 'owners',
  repository_maintainers: 'maintainers',
  repository_read_data: 'read_data',
  repository_write_data: 'write_data',
};

function privateRepository({ account_id }: Account): RepositoryRecord {
  return {
    account_id,
    repository_id: 'gauges',
    uid: '8d0d2c51-6b0f-4f7e-9a53-1f0d5a7c2e44',
    state: 'listed',
    data_mode: 'private',
    featured: 0,
    meta: { title: '', description: '', tags: '' },
    data: { primary_mirror: 'store', mirrors: {} },
    published: at,
    updated: at,
    version: 1,
    disabled: false,
  };
}

function recordOf(shown: Account): AccountRecord {
  return { ...shown, created_at: at, version: 1 };
}

export function factsOf(row: MatrixRow, kind: CallerKind): { caller: Caller; facts: LoadedRequestData } {
  const target = account(
    'target',
    row.scope === 'any' ? {} : { account_type: row.scope, flags: ['create_organizations'] },
  );
  const caller = callerOf(kind, target);
  const ofRepository = isOfRepository(row.name) ? { repository_id: 'gauges' } : {};
  const hasRepository = row.operation.target === 'repository' || isOfRepository(row.name);
  const own = caller.kind === 'person' ? caller.account?.account_id : undefined;
  return {
    caller,
    facts: {
      scope: { account_id: target.account_id, ...ofRepository },
      callerAccount: caller.kind === 'anonymous' || caller.account === null ? undefined : recordOf(caller.account),
      account: recordOf(target),
      roles: { account: accountRoles[kind], repository: hasRepository ? repositoryRoles[kind] : undefined },
      // A service account owns no repository.
      repository: hasRepository && row.scope !== 'service' ? privateRepository(target) : undefined,
      dataConnection: undefined,
      serviceAccount: {
        service_account_id: `${target.account_id}--sync`,
        owner_account_id: target.account_id,
        name: 'sync',
        description: '',
        disabled: false,
        created_at: at,
        uid: '5b0c8d4e-2f6a-4b8e-9d1c-3a7f5e2b1c0d',
        version: 1,
        times_disabled: 0,
      },
      membership: {
        membership_id: '0b2a3c5e-7d1f-4a53-9c4e-1f2d3a4b5c6d',
        // The member is another account, except for the invited caller, who answers its own invitation.
        account_id: kind === 'invited' && own !== undefined ? own : 'guest',
        membership_account_id: target.account_id,
        ...ofRepository,
        role: 'read_data',
        state: 'invited',
        state_changed: at,
        created_at: at,
      },
      transfer: {
        transfer_id: '7c1d9e3f-4b5a-4d6e-8f70-1a2b3c4d5e6f',
        account_id: row.operation.target === 'incoming_transfer' ? 'somebody-else' : target.account_id,
        repository_id: 'gauges',
        repository_uid: '5b0c8d4e-2f6a-4b8e-9d1c-3a7f5e2b1c0e',
        data_connection_id: 'store-one',
        to: row.operation.target === 'incoming_transfer' ? target.account_id : 'somebody-else',
        state: 'offered',
        state_changed: at,
        created_at: at,
        expires_at: '2031-01-01T00:00:00.000Z',
      },
      apiKey: {
        access_key_id: 'SCAKBBBBBBBBBBBBBBBB',
        account_id: target.account_id,
        ...ofRepository,
        disabled: false,
        expires: '2031-01-01T00:00:00.000Z',
        name: 'pipeline',
        secret_version: 1,
        secret_hash: '',
        created_at: at,
      },
    },
  };
}

/** Returns a request body with the fields that the rule of the operation reads: role, new role, or account type. */
export function bodyOf({ operation, scope }: MatrixRow): unknown {
  switch (operation.permission.kind) {
    case 'invitation':
      return { account_id: 'guest', role: 'read_data' };
    case 'membership':
      return 'write_data';
    case 'account_creation':
      return { account_id: 'new-one', account_type: scope, profile: {} };
    default:
      return undefined;
  }
}
