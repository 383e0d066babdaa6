import fc from 'fast-check';
import type { Operation } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';
import { registry } from '../../lib/operations/registry.ts';
import type { AccountType, Caller, Question, Role } from '../model/data-set.ts';
import {
  absentName,
  accessKeyIdOf,
  accountNames,
  connectionNames,
  identityOf,
  keysMax,
  membershipsMax,
  newcomer,
  repositoryNames,
  repositoryUidArbitrary,
  serviceAccounts,
  sources,
  transfersMax,
  users,
  uuidOf,
} from './generated-data-sets.ts';

/** A question about authorization, without its data set. */
export type Asked = Omit<Question, 'dataSet'>;

/** Every operation except the route for unknown paths. */
export const askedOperations = registry.filter(({ method }) => method !== 'ANY');
export const operationKey = ({ method, path }: Operation) => `${method} ${path}`;
const declarations = new Map(askedOperations.map((declared) => [operationKey(declared), declared]));
export function declarationOf(operation: string): Operation {
  const declared = declarations.get(operation);
  if (declared === undefined) throw new Error(`the registry has no ${operation}`);
  return declared;
}

const callerArbitrary: fc.Arbitrary<Caller> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...users).map((name): Caller => ({ kind: 'user', identity: identityOf(name) })),
  },
  { weight: 1, arbitrary: fc.constant<Caller>({ kind: 'user', identity: newcomer }) },
  { weight: 4, arbitrary: fc.nat(keysMax).map((index): Caller => ({ kind: 'key', id: accessKeyIdOf(index) })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<Caller['kind'] & ('anonymous' | 'invalid')>('anonymous', 'invalid')
      .map((kind): Caller => ({ kind })),
  },
);

const namesArbitrary = fc.record({
  account_id: fc.constantFrom(...accountNames, absentName, `${absentName}--sync`, `harbour--${absentName}`),
  service_account_id: fc.constantFrom(...serviceAccounts, `${absentName}--sync`, `harbour--${absentName}`),
  repository_id: fc.constantFrom(...repositoryNames, ...repositoryNames, absentName),
  membership_id: fc.nat(membershipsMax).map(uuidOf),
  access_key_id: fc.nat(keysMax).map(accessKeyIdOf),
  transfer_id: fc.nat(transfersMax).map(uuidOf),
  data_connection_id: fc.constantFrom(...connectionNames, absentName),
  isOfRepository: fc.boolean(),
});
const inputArbitrary = fc.record({
  role: fc.constantFrom<Role[]>('owners', 'maintainers', 'read_data', 'write_data'),
  accountType: fc.constantFrom<AccountType[]>('user', 'organization', 'service'),
  connection: fc.constantFrom(...connectionNames),
});

type Names = typeof namesArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** Returns the model's names of the resources in the path. The repository of a grant is part of a service account. */
function targetOf({ path, target }: Operation, names: Names): Question['target'] {
  if (target === 'scope')
    return { account: names.account_id, ...(names.isOfRepository && { repository: names.repository_id }) };
  const has = (name: string) => pathParameterNames(path).includes(name);
  return {
    ...(has('account_id') ? { account: names.account_id } : {}),
    ...(has('service_account_id') ? { account: names.service_account_id } : {}),
    ...(path.startsWith('/repositories') && has('repository_id') ? { repository: names.repository_id } : {}),
    ...(has('membership_id') ? { membership: names.membership_id } : {}),
    ...(has('transfer_id') ? { transfer: names.transfer_id } : {}),
    ...(has('access_key_id') ? { key: names.access_key_id } : {}),
    ...(has('data_connection_id') ? { connection: names.data_connection_id } : {}),
  };
}

/** Returns the part of the body that authorization reads. */
function inputOf(
  { permission, name }: Operation,
  { role, accountType, connection }: Required<Pick<Question['input'], 'role' | 'accountType' | 'connection'>>,
): Question['input'] {
  if (permission.kind === 'invitation') return { role };
  if (permission.kind === 'membership' && permission.step === 'change_role') return { role };
  if (permission.kind === 'account_creation') return { accountType };
  return name === 'create-repository' ? { connection } : {};
}

export const managementArbitrary: fc.Arbitrary<Asked> = fc
  .record({
    caller: callerArbitrary,
    declared: fc.constantFrom(...askedOperations),
    names: namesArbitrary,
    input: inputArbitrary,
  })
  .map(({ caller, declared, names, input }) => ({
    caller,
    operation: operationKey(declared),
    target: targetOf(declared, names),
    input: inputOf(declared, input),
  }));

const sessionArbitrary: fc.Arbitrary<Caller> = fc
  .record({
    account: fc.constantFrom(...serviceAccounts),
    isOfBefore: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    role: fc.constantFrom<('FullAccess' | 'ReadOnly')[]>('FullAccess', 'ReadOnly'),
    source: fc.constantFrom(...sources),
  })
  .map(({ account, isOfBefore, role, source }) => ({
    kind: 'session',
    account,
    uid: `uid-${account}${isOfBefore ? '-before' : ''}`,
    role,
    source,
    expired: false,
  }));

/** A session of a user. Account IDs of users are never reused. Some sessions are limited to one repository. */
const personsSessionArbitrary: fc.Arbitrary<Caller> = fc
  .record({
    account: fc.constantFrom(...users),
    role: fc.constantFrom<('FullAccess' | 'ReadOnly')[]>('FullAccess', 'ReadOnly'),
    narrowedTo: fc.option(repositoryUidArbitrary, { nil: undefined }),
  })
  .map(({ account, role, narrowedTo }) => ({
    kind: 'session',
    account,
    uid: `uid-${account}`,
    role,
    narrowedTo,
    expired: false,
  }));

export const dataArbitrary: fc.Arbitrary<Asked> = fc
  .record({
    caller: fc.oneof(
      { weight: 4, arbitrary: fc.nat(keysMax).map((index): Caller => ({ kind: 'key', id: accessKeyIdOf(index) })) },
      { weight: 4, arbitrary: sessionArbitrary },
      { weight: 4, arbitrary: personsSessionArbitrary },
      { weight: 1, arbitrary: fc.constant<Caller>({ kind: 'anonymous' }) },
    ),
    operation: fc.constantFrom('read', 'list', 'write'),
    account: fc.constantFrom('ann', 'bob', 'cyd', 'harbour', 'lights', absentName),
    repository: fc.constantFrom(...repositoryNames, ...repositoryNames, absentName),
  })
  .map(({ caller, operation, account, repository }) => ({
    caller,
    operation,
    target: { account, repository },
    input: {},
  }));
