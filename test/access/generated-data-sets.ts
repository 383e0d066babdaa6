import fc from 'fast-check';
import type { Account, AccountType, DataSet, Flag, Membership, Mode, Repository } from '../model/data-set.ts';

/**
 * Generated data for the reference model. There are few names, so the same users appear in many scopes and many
 * resources are missing.
 */
export const users = ['ann', 'bob', 'cyd'] as const;
const organizations = ['harbour', 'lights'] as const;
const platformLogins = ['loader'] as const;
export const serviceAccounts = ['ann--sync', 'harbour--sync', 'harbour--load', 'lights--sync'] as const;
export const accountNames = [...users, ...organizations, ...platformLogins, ...serviceAccounts];
export const repositoryNames = ['tides', 'winds'] as const;
const platformConnections = ['open-store', 'flag-store', 'frozen-store'] as const;
/** Data connections of accounts, by name. No repository uses them. */
const ownConnections = { 'ann-store': 'ann', 'harbour-store': 'harbour' } as const;
export const connectionNames = [...platformConnections, 'ann-store', 'harbour-store'] as const;
export const absentName = 'nowhere';
/** API keys and trusted workflows that issued sessions. */
export const sources = [
  { kind: 'key', id: 'first-key' },
  { kind: 'key', id: 'second-key' },
  { kind: 'workflow', id: 'workflow' },
] as const;

/** The identity of each user has the name of the account that the user has or could have. */
export const identityOf = (name: string) => `id-${name}`;
export const newcomer = identityOf('newcomer');
/** Returns a UUID or access key ID by number. */
export const uuidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
export const accessKeyIdOf = (index: number) => `SCAKAAAAAAAAAAAAAA${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[index] ?? 'Z'}A`;
export const membershipsMax = 14;
export const keysMax = 12;
export const transfersMax = 4;

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const flags = fc.subarray<Flag>(['admin', 'create_repositories', 'create_organizations']);
const modes: readonly Mode[] = ['open', 'subscription', 'private'];
const typeOf = (name: string): AccountType =>
  name.includes('--') || (platformLogins as readonly string[]).includes(name)
    ? 'service'
    : (users as readonly string[]).includes(name)
      ? 'user'
      : 'organization';

const disabledByOf: Record<AccountType, fc.Arbitrary<Account['disabledBy']>> = {
  user: mostly<Account['disabledBy']>(undefined, 'admin'),
  organization: mostly<Account['disabledBy']>(undefined, 'owner', 'admin'),
  service: mostly<Account['disabledBy']>(undefined, 'owner'),
};

function accountArbitrary(id: string): fc.Arbitrary<Account> {
  const type = typeOf(id);
  return fc.record({
    id: fc.constant(id),
    uid: fc.constant(`uid-${id}`),
    type: fc.constant(type),
    disabledBy: disabledByOf[type],
    flags: type === 'user' ? flags : fc.constant([]),
    identity: fc.constant(type === 'user' ? identityOf(id) : undefined),
    owner: fc.constant(id.includes('--') ? id.slice(0, id.indexOf('--')) : undefined),
    federatedOnly: id.includes('--') ? mostly(false, true) : fc.constant(undefined),
  });
}

const owners = [...users, ...organizations];

/**
 * Internal IDs of a deleted resource and of the current resource with the same name. Rights in the deleted resource
 * have no effect in the current one.
 */
const repositoryUid = (account: string, id: string, generation: number) => `uid-${account}/${id}/${generation}`;

export const repositoryUidArbitrary = fc
  .record({
    account: fc.constantFrom(...owners),
    id: fc.constantFrom(...repositoryNames),
    generation: mostly(1, 2),
  })
  .map(({ account, id, generation }) => repositoryUid(account, id, generation));

function repositoryArbitrary(account: string, id: string): fc.Arbitrary<Repository> {
  return fc.record({
    account: fc.constant(account),
    id: fc.constant(id),
    uid: mostly(1, 2).map((generation) => repositoryUid(account, id, generation)),
    mode: fc.constantFrom(...modes),
    state: fc.constantFrom('listed', 'unlisted'),
    disabledBy: mostly<Repository['disabledBy']>(undefined, 'owner', 'admin'),
    connection: fc.constantFrom(...platformConnections),
    federatedOnly: mostly(false, true),
  });
}

const scopeArbitrary = fc
  .record({
    account: fc.constantFrom(...owners),
    repository: fc.option(fc.constantFrom(...repositoryNames), { nil: undefined }),
    generation: mostly(1, 2),
  })
  .map(({ account, repository: id, generation }) => ({
    account,
    repository: id && { id, uid: repositoryUid(account, id, generation) },
  }));

const membershipArbitrary = fc
  .record({
    scope: scopeArbitrary,
    member: fc.constantFrom(...users),
    role: fc.constantFrom<Membership['role'][]>('owners', 'maintainers', 'read_data', 'write_data'),
    state: mostly<Membership['state']>('member', 'invited', 'revoked'),
  })
  .filter(({ scope, member }) => scope.account !== member);

/** At most one active membership of a member in a scope, as the store ensures. */
const membershipsArbitrary = fc
  .uniqueArray(membershipArbitrary, {
    maxLength: membershipsMax,
    selector: ({ scope, member, state }) =>
      `${member} ${scope.account} ${scope.repository?.id} ${state === 'revoked' ? 'revoked' : 'live'}`,
  })
  .map((all) => all.map(({ scope, ...one }, index): Membership => ({ ...scope, ...one, id: uuidOf(index) })));

const keysArbitrary = fc
  .array(
    fc.record({
      scope: fc.oneof(
        scopeArbitrary,
        fc.constantFrom(...accountNames).map((account) => ({ account })),
      ),
      revoked: mostly(false, true),
      expired: mostly(false, true),
    }),
    { maxLength: keysMax },
  )
  .map((all) => all.map(({ scope, ...one }, index) => ({ ...scope, ...one, id: accessKeyIdOf(index) })));

const grantsArbitrary = fc.uniqueArray(
  fc.record({
    serviceAccount: fc.constantFrom(...serviceAccounts),
    repository: fc.constantFrom(...repositoryNames),
    generation: mostly(1, 2),
    access: fc.constantFrom<('read' | 'read_write')[]>('read', 'read_write'),
  }),
  { maxLength: 6, selector: ({ serviceAccount, repository }) => `${serviceAccount} ${repository}` },
);

const transfersArbitrary = fc
  .array(
    fc
      .record({ from: fc.constantFrom(...owners), to: fc.constantFrom(...owners) })
      .filter(({ from, to }) => from !== to),
    { maxLength: transfersMax },
  )
  .map((all) => all.map((one, index) => ({ ...one, id: uuidOf(index) })));

export const dataSetArbitrary: fc.Arbitrary<DataSet> = fc
  .record({
    accounts: fc.tuple(...accountNames.map((name) => fc.option(accountArbitrary(name), { nil: undefined, freq: 9 }))),
    repositories: fc.tuple(
      ...owners.flatMap((owner) =>
        repositoryNames.map((name) => fc.option(repositoryArbitrary(owner, name), { nil: undefined, freq: 4 })),
      ),
    ),
    memberships: membershipsArbitrary,
    keys: keysArbitrary,
    grants: grantsArbitrary,
    transfers: transfersArbitrary,
    requiredFlag: fc.constantFrom<Flag[]>('admin', 'create_repositories', 'create_organizations'),
    endedSources: fc.subarray(sources.map(({ id }) => id)),
    configuredAdmins: fc.subarray([...users.map(identityOf), newcomer], { maxLength: 1 }),
  })
  .map(({ accounts, repositories, grants, requiredFlag, ...rest }) =>
    consistent({
      ...rest,
      links: [],
      accounts: accounts.flatMap((account) => account ?? []),
      repositories: repositories.flatMap((repository) => repository ?? []),
      connections: [
        { id: 'open-store', readOnly: false, modes: [...modes] },
        { id: 'flag-store', readOnly: false, modes: [...modes], requiredFlag },
        { id: 'frozen-store', readOnly: true, modes: [...modes] },
        ...Object.entries(ownConnections).map(([id, owner]) => ({ id, owner, readOnly: false, modes: [...modes] })),
      ],
      grants: grants.map(({ serviceAccount, repository, generation, access }) => ({
        serviceAccount: `uid-${serviceAccount}`,
        repository: repositoryUid(serviceAccount.slice(0, serviceAccount.indexOf('--')), repository, generation),
        access,
      })),
      signInKeys: [],
      workflows: [],
    }),
  );

/** Removes resources of missing accounts, which cannot exist. */
function consistent(dataSet: DataSet): DataSet {
  const owned = new Set(dataSet.accounts.map(({ id }) => id));
  const accounts = dataSet.accounts.filter(({ owner }) => owner === undefined || owned.has(owner));
  const names = new Set(accounts.map(({ id }) => id));
  return {
    ...dataSet,
    accounts,
    repositories: dataSet.repositories.filter(({ account }) => names.has(account)),
    memberships: dataSet.memberships.filter(({ account, member }) => names.has(account) && names.has(member)),
    connections: dataSet.connections.filter(({ owner }) => owner === undefined || names.has(owner)),
    keys: dataSet.keys.filter(({ account }) => names.has(account)),
    transfers: dataSet.transfers.filter(({ from, to }) => names.has(from) && names.has(to)),
  };
}
