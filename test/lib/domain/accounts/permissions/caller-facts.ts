import type { Account, AccountRecord } from '../../../../../lib/domain/accounts/accounts.ts';
import type { Caller } from '../../../../../lib/domain/accounts/callers.ts';
import type { MembershipRole } from '../../../../../lib/domain/accounts/memberships.ts';
import type { LoadedRequestData } from '../../../../../lib/http/targets.ts';
import { newAccount, newRepository, now } from '../../../store/open-store.ts';
import { isOfRepository, type MatrixRow } from './matrix.ts';
import type { CallerKind } from './matrix-shape.ts';

/** Callers and their stored records, built by hand to test the rules without a table. */

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
  const self = target.account_type === 'user' ? target : newAccount('self', { flags: ['create_organizations'] });
  const organization =
    target.account_type === 'organization' ? target : newAccount('tides', { account_type: 'organization' });
  const boss = newAccount('boss', { flags: ['admin'] });
  const callers: Partial<Record<CallerKind, Caller>> = {
    anonymous: { kind: 'anonymous' },
    newcomer: person(null),
    self: person(self),
    disabled_user: person({ ...self, flags: ['create_organizations', 'create_repositories'], disabled: true }),
    disabled_admin: person({ ...boss, disabled: true }),
    self_key: userKey(self),
    owner_key: userKey(newAccount('owner')),
    admin_key: userKey(boss),
    service_key: dataKey(target.account_type === 'service' ? target : newAccount('robot', { account_type: 'service' })),
    organization_key: dataKey(organization),
    repository_key: dataKey(target.account_type === 'service' ? organization : target, 'gauges'),
    admin: person(boss),
  };
  return callers[kind] ?? person(newAccount(kind.replaceAll('_', '-')));
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

function recordOf(shown: Account): AccountRecord {
  return { ...shown, created_at: now, version: 1 };
}

export function factsOf(row: MatrixRow, kind: CallerKind): { caller: Caller; facts: LoadedRequestData } {
  const target = newAccount(
    'target',
    row.scope === 'any' ? {} : { account_type: row.scope, flags: ['create_organizations'] },
  );
  const caller = callerOf(kind, target);
  const ofRepository = isOfRepository(row.name) ? { repository_id: 'gauges' } : {};
  const hasRepository = row.operation.target === 'repository' || isOfRepository(row.name);
  return {
    caller,
    facts: {
      scope: { account_id: target.account_id, ...ofRepository },
      callerAccount: caller.kind === 'anonymous' || caller.account === null ? undefined : recordOf(caller.account),
      account: recordOf(target),
      roles: { account: accountRoles[kind], repository: hasRepository ? repositoryRoles[kind] : undefined },
      // A service account owns no repository.
      repository:
        hasRepository && row.scope !== 'service'
          ? newRepository(target.account_id, 'gauges', { data_mode: 'private' })
          : undefined,
      ...{ dataConnection: undefined, membership: undefined, apiKey: undefined, transfer: undefined },
      serviceAccount: {
        service_account_id: `${target.account_id}--sync`,
        owner_account_id: target.account_id,
        name: 'sync',
        description: '',
        disabled: false,
        created_at: now,
        uid: '5b0c8d4e-2f6a-4b8e-9d1c-3a7f5e2b1c0d',
        version: 1,
        times_disabled: 0,
      },
    },
  };
}
