import type { Account, Caller, DataSet, Question, Repository } from './data-set.ts';
import { accountOf, findAccount, findRepository, keyOf, membershipsOf } from './data-set.ts';

/** The model of the data proxy: rights to read, list, and write, and to exchange an identity for credentials. */
type Rights = 'write' | 'read' | 'none';
const strongest = (rights: Rights[]) => (['write', 'read'] as const).find((one) => rights.includes(one)) ?? 'none';

const isEnabled = (account: Account | undefined) => account !== undefined && !account.disabledBy;
/** Returns false for a disabled service account, and for one with a disabled owner. */
const isServing = (dataSet: DataSet, account: Account | undefined) =>
  isEnabled(account) && account?.type === 'service' && isEnabled(findAccount(dataSet, account.owner));

// Returns the rights of an account: as owner and by memberships, or by grants for a service account. The flag `admin`
// gives no rights to data.
function accountRights(dataSet: DataSet, account: Account | undefined, repository: Repository): Rights {
  if (account === undefined || !isEnabled(account)) return 'none';
  if (account.type === 'service') {
    if (!isServing(dataSet, account) || account.owner !== repository.account) return 'none';
    const grants = dataSet.grants.filter(
      (one) => one.serviceAccount === account.uid && one.repository === repository.uid,
    );
    return strongest(grants.map(({ access }) => (access === 'read' ? 'read' : 'write')));
  }
  if (account.id === repository.account) return 'write';
  const memberships = membershipsOf(dataSet, account).filter(
    (one) => one.account === repository.account && (one.repository?.uid ?? repository.uid) === repository.uid,
  );
  return strongest(memberships.map(({ role }) => (role === 'read_data' ? 'read' : 'write')));
}

// Returns the rights of a caller. A repository's key has all rights in it. Grants apply to sessions of a service
// account, not to its API keys.
export function callerRights(dataSet: DataSet, caller: Caller, repository: Repository): Rights {
  const account = accountOf(dataSet, caller);
  if (keyOf(dataSet, caller)?.repository?.uid === repository.uid) return 'write';
  if (caller.kind === 'key' && account?.type === 'service') return 'none';
  if (caller.kind === 'session' && (caller.narrowedTo ?? repository.uid) !== repository.uid) return 'none';
  if (caller.kind === 'session' && caller.source && dataSet.endedSources.includes(caller.source.id)) return 'none';
  const rights = accountRights(dataSet, account, repository);
  return rights === 'write' && caller.kind === 'session' && caller.role === 'ReadOnly' ? 'read' : rights;
}

/** Returns true for credentials that are refused even for data that anyone may read. */
export function isInvalid(dataSet: DataSet, caller: Caller): boolean {
  const key = keyOf(dataSet, caller);
  if (caller.kind === 'session') return caller.expired;
  return key ? key.revoked || key.expired : caller.kind !== 'anonymous' && caller.kind !== 'user';
}

/** Returns true for credentials that came from a key, if only federated sign-ins may write here. */
function isStoppedAsKey(dataSet: DataSet, caller: Caller, repository: Repository): boolean {
  const isSessionOfKey = caller.kind === 'session' && caller.source?.kind === 'key';
  if (repository.federatedOnly && (isSessionOfKey || caller.kind === 'key')) return true;
  return isSessionOfKey && accountOf(dataSet, caller)?.federatedOnly === true;
}

/** Returns true if the caller may read the repository. A disabled repository or account has no readers. */
export function mayRead(
  dataSet: DataSet,
  caller: Caller,
  repository: Repository | undefined,
): repository is Repository {
  const owner = findAccount(dataSet, repository?.account);
  if (!repository || repository.disabledBy || !isEnabled(owner) || isInvalid(dataSet, caller)) return false;
  return repository.mode === 'open' || callerRights(dataSet, caller, repository) !== 'none';
}

// Answers `read`, `list`, and `write`, which includes deleting. Private and missing repositories have the same refusal.
export function answerData({ dataSet, caller, operation, target }: Question): 'allowed' | 403 {
  const repository = findRepository(dataSet, target.account, target.repository);
  if (!mayRead(dataSet, caller, repository)) return 403;
  if (operation !== 'write') return 'allowed';
  const connection = dataSet.connections.find(({ id }) => id === repository.connection);
  if (isStoppedAsKey(dataSet, caller, repository)) return 403;
  return connection?.readOnly === false && callerRights(dataSet, caller, repository) === 'write' ? 'allowed' : 403;
}

// Answers an exchange. A key identifies its own account. A workflow must be trusted by the named account.
export function answerExchange({ dataSet, caller, target }: Question): 'allowed' | 400 | 403 {
  const key = caller.kind === 'sign-in-key' ? dataSet.signInKeys.find(({ id }) => id === caller.id) : undefined;
  const account = dataSet.accounts.find(({ id, uid }) => (key ? uid === key.serviceAccount : id === target.account));
  const isServed = isServing(dataSet, account);
  if (caller.kind !== 'workflow') return key && !key.revoked && !key.expired && isServed ? 'allowed' : 400;
  const isTrusted = ({ subject, serviceAccount }: DataSet['workflows'][number]) =>
    subject === caller.subject && serviceAccount === account?.uid;
  return dataSet.workflows.some(isTrusted) && isServed ? 'allowed' : 403;
}
