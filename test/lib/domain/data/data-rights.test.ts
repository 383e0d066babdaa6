import { describe, expect, test } from 'vitest';
import { type MembershipRole, membershipRoles } from '../../../../lib/domain/accounts/memberships.ts';
import {
  type AccessFacts,
  type AccountFacts,
  type DataAction,
  mayAccessData,
  type Principal,
} from '../../../../lib/domain/data/data-access.ts';
import type { RepositoryDataMode } from '../../../../lib/domain/data/repositories.ts';

/** Every caller with what it may do in a restricted repository where nothing is closed: nothing, read, read and write. */

const order = ['-', 'r', 'rw'] as const;
type Rights = (typeof order)[number];
type CallerFacts = Pick<AccessFacts, 'keyAccount' | 'roles' | 'serviceAccount' | 'grant'>;
interface CallerCase {
  title: string;
  principal: Principal;
  facts: CallerFacts;
  rights: Rights;
}

const noFacts: CallerFacts = {
  keyAccount: undefined,
  roles: { account: undefined, repository: undefined },
  serviceAccount: undefined,
  grant: undefined,
};

const anonymous: CallerCase = {
  title: 'anonymous',
  principal: { kind: 'anonymous' },
  facts: noFacts,
  rights: '-',
};

function keyCase(
  title: string,
  account: Pick<AccountFacts, 'account_id' | 'account_type'>,
  rights: Rights,
  { repository_id, disabled = false, roles = noFacts.roles }: Partial<AccountFacts & CallerFacts & KeyScope> = {},
): CallerCase {
  const { account_id } = account;
  return {
    title,
    principal: { kind: 'api_key', access_key_id: 'SCAKABCDEFGHIJKLMNOP', account_id, repository_id },
    facts: { ...noFacts, keyAccount: { ...account, disabled }, roles },
    rights,
  };
}
interface KeyScope {
  repository_id: string;
}

const owner = { account_id: 'harbour', account_type: 'organization' } as const;
const stranger = { account_id: 'stranger', account_type: 'user' } as const;

const keys: CallerCase[] = [
  keyCase("the owner's key", owner, 'rw'),
  keyCase("a key of the owner's, disabled meanwhile", owner, '-', { disabled: true }),
  keyCase("the repository's key", owner, 'rw', { repository_id: 'soundings' }),
  keyCase("the key of another of the owner's repositories", owner, '-', { repository_id: 'buoys' }),
  keyCase('the key of a repository of that name elsewhere', stranger, '-', { repository_id: 'soundings' }),
  keyCase("another account's key", stranger, '-'),
  keyCase("another organization's key", { account_id: 'other', account_type: 'organization' }, '-'),
  keyCase("a platform service account's key", { account_id: 'platform', account_type: 'service' }, '-'),
  keyCase("a disabled member's key", stranger, '-', {
    disabled: true,
    roles: { account: 'owners', repository: 'owners' },
  }),
  // A key that is bound to a repository never carries its account's memberships.
  keyCase("a member's repository key", stranger, '-', {
    repository_id: 'soundings',
    roles: { account: 'owners', repository: 'owners' },
  }),
];

const roleRights: Record<MembershipRole, Rights> = {
  owners: 'rw',
  maintainers: 'rw',
  write_data: 'rw',
  read_data: 'r',
};
const rightsOf = (role: MembershipRole | undefined): Rights => (role === undefined ? '-' : roleRights[role]);
const everyRole = [undefined, ...membershipRoles];
const members: CallerCase[] = everyRole.flatMap((inAccount) =>
  everyRole.map((inRepository) => {
    const more = order[Math.max(...[inAccount, inRepository].map((role) => order.indexOf(rightsOf(role))))];
    const title = `a key of a member with ${inAccount ?? 'no role'} in the account, ${inRepository ?? 'none'} in the repository`;
    return keyCase(title, stranger, more ?? '-', { roles: { account: inAccount, repository: inRepository } });
  }),
);

const accounts: Record<string, AccessFacts['serviceAccount']> = {
  enabled: { uid: 'uid-1', disabled: false, times_disabled: 0 },
  disabled: { uid: 'uid-1', disabled: true, times_disabled: 0 },
  'enabled again': { uid: 'uid-1', disabled: false, times_disabled: 1 },
  'created again': { uid: 'uid-2', disabled: false, times_disabled: 0 },
  deleted: undefined,
};
const sessions: CallerCase[] = Object.entries(accounts).flatMap(([state, serviceAccount]) =>
  (['harbour--sync', 'harbours--sync', 'other--sync'] as const).flatMap((service_account_id) =>
    (['FullAccess', 'ReadOnly'] as const).flatMap((role) =>
      ([undefined, 'read', 'read_write'] as const).map((grant): CallerCase => {
        const isGood = state === 'enabled' && service_account_id === 'harbour--sync' && grant !== undefined;
        const isFull = role === 'FullAccess' && grant === 'read_write';
        return {
          title: `a ${role} session of ${service_account_id}, ${state}, with the grant ${grant ?? 'none'}`,
          principal: {
            kind: 'service_account',
            service_account_id,
            service_account_uid: 'uid-1',
            times_disabled: 0,
            role,
          },
          facts: { ...noFacts, serviceAccount, grant },
          rights: isGood ? (isFull ? 'rw' : 'r') : '-',
        };
      }),
    ),
  ),
);

interface Place {
  data_mode: RepositoryDataMode;
  owner: 'enabled' | 'disabled' | 'absent';
  repository: 'enabled' | 'disabled' | 'absent';
  connection: 'writable' | 'read-only' | 'absent';
}

const places: Place[] = (['open', 'subscription', 'private'] as const).flatMap((data_mode) =>
  (['enabled', 'disabled', 'absent'] as const).flatMap((ownerState) =>
    (['enabled', 'disabled', 'absent'] as const).flatMap((repository) =>
      (['writable', 'read-only', 'absent'] as const).map((connection) => ({
        data_mode,
        owner: ownerState,
        repository,
        connection,
      })),
    ),
  ),
);

function placeFacts({ data_mode, ...place }: Place): Pick<AccessFacts, 'owner' | 'repository' | 'connection'> {
  return {
    owner: place.owner === 'absent' ? undefined : { ...owner, disabled: place.owner === 'disabled' },
    repository:
      place.repository === 'absent'
        ? undefined
        : {
            account_id: 'harbour',
            repository_id: 'soundings',
            state: 'listed',
            data_mode,
            featured: 0,
            meta: { title: '', description: '', tags: '' },
            data: { primary_mirror: 'store', mirrors: { store: { data_connection_id: 'store', prefix: 'p/' } } },
            published: '2026-01-01T00:00:00.000Z',
            disabled: place.repository === 'disabled',
          },
    connection:
      place.connection === 'absent'
        ? undefined
        : {
            data_connection_id: 'store',
            name: '',
            read_only: place.connection === 'read-only',
            allowed_data_modes: [],
            details: { provider: 's3', bucket: 'b', base_prefix: '', region: 'eu-west-1' },
          },
  };
}

/** The rules of the service in the order in which they are told, apart from the caller's own rights. */
function isAllowed(rights: Rights, action: DataAction, place: Place): boolean {
  const isClosed = place.owner !== 'enabled' || place.repository !== 'enabled' || place.connection === 'absent';
  if (isClosed) return false;
  if (action === 'write') return rights === 'rw' && place.connection === 'writable';
  return place.data_mode === 'open' || rights !== '-';
}

describe('what a caller may do, in every data mode and every state of repository, owner and connection', () => {
  test.each([anonymous, ...keys, ...members, ...sessions])('$title: $rights', ({ principal, facts, rights }) => {
    const wrong: unknown[] = [];
    for (const place of places) {
      for (const action of ['read', 'write'] as const) {
        const expected = isAllowed(rights, action, place);
        const actual = mayAccessData(principal, action, { ...facts, ...placeFacts(place) });
        if (actual !== expected) wrong.push({ ...place, action, actual });
      }
    }
    expect(wrong).toEqual([]);
  });
});
