import { describe, expect, test } from 'vitest';
import { type MembershipRole, membershipRoles } from '../../../../lib/domain/accounts/memberships.ts';
import {
  type AccountStatus,
  type AuthorizationData,
  type DataAction,
  mayAccessData,
  type Principal,
} from '../../../../lib/domain/data/data-access.ts';
import type { OfRepository } from '../../../../lib/domain/data/internal-ids.ts';
import type { RepositoryDataMode } from '../../../../lib/domain/data/repositories.ts';

/** Each caller with its rights in a restricted repository where nothing is disabled: none, read, or read and write. */

const order = ['-', 'r', 'rw'] as const;
type Rights = (typeof order)[number];
type CallerFacts = Pick<AuthorizationData, 'actingAccount' | 'roles' | 'serviceAccount' | 'grant'>;
interface CallerCase {
  title: string;
  principal: Principal;
  facts: CallerFacts;
  rights: Rights;
}

const noFacts: CallerFacts = {
  actingAccount: undefined,
  roles: { account: undefined, repository: undefined },
  serviceAccount: undefined,
  grant: undefined,
};

/** The internal ID of the existing repository. */
const repository_uid = 'uid of soundings';

const anonymous: CallerCase = {
  title: 'anonymous',
  principal: { kind: 'anonymous' },
  facts: noFacts,
  rights: '-',
};

function keyCase(
  title: string,
  account: Pick<AccountStatus, 'account_id' | 'account_type'>,
  rights: Rights,
  {
    repository_id,
    disabled = false,
    roles = noFacts.roles,
    ...key
  }: Partial<AccountStatus & CallerFacts & KeyScope> = {},
): CallerCase {
  const { account_id } = account;
  return {
    title,
    principal: {
      kind: 'api_key',
      access_key_id: 'SCAKABCDEFGHIJKLMNOP',
      account_id,
      repository_id,
      ...(repository_id === undefined ? {} : { repository_uid: key.repository_uid }),
    },
    facts: {
      ...noFacts,
      actingAccount: { ...account, disabled, times_disabled: 0 },
      roles,
    },
    rights,
  };
}
interface KeyScope extends OfRepository {
  repository_id: string;
}

const owner = { account_id: 'harbour', account_type: 'organization' } as const;
const stranger = { account_id: 'stranger', account_type: 'user' } as const;

const keys: CallerCase[] = [
  keyCase("the owner's key", owner, 'rw'),
  keyCase("a key of the owner's, disabled meanwhile", owner, '-', { disabled: true }),
  keyCase("the repository's key", owner, 'rw', { repository_id: 'soundings', repository_uid }),
  keyCase("the key of another of the owner's repositories", owner, '-', {
    repository_id: 'buoys',
    repository_uid: 'uid of buoys',
  }),
  keyCase('the key of a repository of that name elsewhere', stranger, '-', {
    repository_id: 'soundings',
    repository_uid: 'theirs',
  }),
  keyCase("another account's key", stranger, '-'),
  keyCase("another organization's key", { account_id: 'other', account_type: 'organization' }, '-'),
  keyCase("a platform service account's key", { account_id: 'platform', account_type: 'service' }, '-'),
  keyCase("a disabled member's key", stranger, '-', {
    disabled: true,
    roles: { account: 'owners', repository: { role: 'owners', repository_uid } },
  }),
  // A key of a repository never carries the memberships of its account.
  keyCase("a member's repository key", stranger, '-', {
    repository_id: 'soundings',
    repository_uid,
    roles: { account: 'owners', repository: { role: 'owners', repository_uid } },
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
    const held = inRepository && { role: inRepository, repository_uid };
    return keyCase(title, stranger, more ?? '-', { roles: { account: inAccount, repository: held } });
  }),
);

const accounts: Record<string, AuthorizationData['serviceAccount']> = {
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
          facts: { ...noFacts, serviceAccount, grant: grant && { access: grant, repository_uid } },
          rights: isGood ? (isFull ? 'rw' : 'r') : '-',
        };
      }),
    ),
  ),
);

/** A user has the rights of a key of the user's account, except for actions that credentials do not allow. */
const ofPersons: CallerCase[] = [keyCase("the owner's", owner, 'rw'), ...members].flatMap(
  ({ title, facts, rights, principal }) => {
    const { account_id } = principal as Extract<Principal, { kind: 'api_key' }>;
    const person = { kind: 'person', account_id, times_disabled: 1, role: 'FullAccess' } as const;
    const { actingAccount } = facts;
    const after = (times_disabled: number, disabled = false) => ({
      ...facts,
      actingAccount: actingAccount && { ...actingAccount, disabled, times_disabled },
    });
    const of = `a person's credentials as ${title}`;
    const here = { account_id: 'harbour', repository_id: 'soundings', uid: repository_uid };
    const narrowed = (narrowed_to: typeof here) => ({ ...person, narrowed_to });
    const least = rights === 'rw' ? 'r' : rights;
    return [
      { title: of, principal: person, facts: after(1), rights },
      { title: `${of}, since when facts were read`, principal: person, facts, rights },
      { title: `${of}, ReadOnly`, principal: { ...person, role: 'ReadOnly' }, facts: after(1), rights: least },
      { title: `${of}, disabled`, principal: person, facts: after(2, true), rights: '-' },
      { title: `${of}, enabled again`, principal: person, facts: after(2), rights: '-' },
      { title: `${of}, deleted`, principal: person, facts: { ...facts, actingAccount: undefined }, rights: '-' },
      { title: `${of}, for this repository`, principal: narrowed(here), facts: after(1), rights },
      {
        title: `${of}, for this repository, ReadOnly`,
        principal: { ...narrowed(here), role: 'ReadOnly' },
        facts: after(1),
        rights: least,
      },
      ...[{ account_id: 'other' }, { repository_id: 'buoys' }, { uid: 'former' }].map((other) => ({
        title: `${of}, for another ${Object.keys(other)[0]}`,
        principal: narrowed({ ...here, ...other }),
        facts: after(1),
        rights: '-' as const,
      })),
    ] satisfies CallerCase[];
  },
);

/** A right applies only to the repository with its internal ID. */
const ids: readonly [of: string, given: OfRepository, isGood: boolean][] = [
  ['this repository', { repository_uid }, true],
  ['a deleted repository of this name', { repository_uid: 'deleted' }, false],
  ['none', {}, false],
];
const identified: CallerCase[] = ids.flatMap(([of, given, isGood]) => {
  const rights = isGood ? 'rw' : '-';
  const title = (what: string) => `${what} with the internal id of ${of}`;
  const roles = { account: undefined, repository: { role: 'owners' as const, ...given } };
  const session = sessions.find((candidate) => candidate.rights === 'rw');
  if (session === undefined) throw new Error('a session may write');
  return [
    keyCase(title("a repository's key"), owner, rights, { repository_id: 'soundings', ...given }),
    keyCase(title('a membership'), stranger, rights, { roles }),
    {
      ...session,
      title: title('a grant'),
      facts: { ...session.facts, grant: { access: 'read_write', ...given } },
      rights,
    },
  ];
});

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

function placeFacts({ data_mode, ...place }: Place): Pick<AuthorizationData, 'owner' | 'repository' | 'connection'> {
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
            updated: '2026-01-01T00:00:00.000Z',
            version: 1,
            disabled: place.repository === 'disabled',
            uid: repository_uid,
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

/** Returns true when the service's rules allow the action, for a caller with these rights. */
function isAllowed(rights: Rights, action: DataAction, place: Place): boolean {
  const isClosed = place.owner !== 'enabled' || place.repository !== 'enabled' || place.connection === 'absent';
  if (isClosed) return false;
  if (action === 'write') return rights === 'rw' && place.connection === 'writable';
  return place.data_mode === 'open' || rights !== '-';
}

describe('what a caller may do, in every data mode and every state of repository, owner and connection', () => {
  test.each([anonymous, ...keys, ...members, ...sessions, ...ofPersons, ...identified])(
    '$title: $rights',
    ({ principal, facts, rights }) => {
      const wrong: unknown[] = [];
      for (const place of places) {
        for (const action of ['read', 'write'] as const) {
          const expected = isAllowed(rights, action, place);
          const actual = mayAccessData(principal, action, { ...facts, ...placeFacts(place) });
          if (actual !== expected) wrong.push({ ...place, action, actual });
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});
