import type { Account, Caller, Question, Repository, World } from './world.ts';
import { accountOf, findAccount, findRepository, keyOf, membershipsOf } from './world.ts';

/** The data proxy: who may read, list and write, and who may exchange an identity for credentials. */
type Rights = 'write' | 'read' | 'none';
const strongest = (rights: Rights[]) => (['write', 'read'] as const).find((one) => rights.includes(one)) ?? 'none';

const isEnabled = (account: Account | undefined) => account !== undefined && !account.disabledBy;
/** A service account's owner being disabled stops the service account too. */
const isServing = (world: World, account: Account | undefined) =>
  isEnabled(account) && account?.type === 'service' && isEnabled(findAccount(world, account.owner));

/** What an account owns, its memberships; for a service account what it was granted, nothing else. The flag `admin` gives no data. */
function accountRights(world: World, account: Account | undefined, repository: Repository): Rights {
  if (account === undefined || !isEnabled(account)) return 'none';
  if (account.type === 'service') {
    if (!isServing(world, account) || account.owner !== repository.account) return 'none';
    const grants = world.grants.filter(
      (one) => one.serviceAccount === account.uid && one.repository === repository.uid,
    );
    return strongest(grants.map(({ access }) => (access === 'read' ? 'read' : 'write')));
  }
  if (account.id === repository.account) return 'write';
  const memberships = membershipsOf(world, account).filter(
    (one) => one.account === repository.account && (one.repository?.uid ?? repository.uid) === repository.uid,
  );
  return strongest(memberships.map(({ role }) => (role === 'read_data' ? 'read' : 'write')));
}

/** A repository's key has all rights there. Grants are for those who sign in as a service account, not for its API keys. */
export function callerRights(world: World, caller: Caller, repository: Repository): Rights {
  const account = accountOf(world, caller);
  if (keyOf(world, caller)?.repository?.uid === repository.uid) return 'write';
  if (caller.kind === 'key' && account?.type === 'service') return 'none';
  if (caller.kind === 'session' && (caller.narrowedTo ?? repository.uid) !== repository.uid) return 'none';
  const rights = accountRights(world, account, repository);
  return rights === 'write' && caller.kind === 'session' && caller.role === 'ReadOnly' ? 'read' : rights;
}

/** Credentials that are refused even where anyone may read. */
export function isInvalid(world: World, caller: Caller): boolean {
  const key = keyOf(world, caller);
  if (caller.kind === 'session') return caller.expired;
  return key ? key.revoked || key.expired : caller.kind !== 'anonymous' && caller.kind !== 'person';
}

/** A disabled repository, or one of a disabled account, is open to nobody. */
export function mayRead(world: World, caller: Caller, repository: Repository | undefined): repository is Repository {
  const owner = findAccount(world, repository?.account);
  if (!repository || repository.disabledBy || !isEnabled(owner) || isInvalid(world, caller)) return false;
  return repository.mode === 'open' || callerRights(world, caller, repository) !== 'none';
}

/** `read`, `list`, `write` (deleting is writing). Private and absent repositories meet the same refusal. */
export function answerData({ world, caller, operation, target }: Question): 'allowed' | 403 {
  const repository = findRepository(world, target.account, target.repository);
  if (!mayRead(world, caller, repository)) return 403;
  if (operation !== 'write') return 'allowed';
  const connection = world.connections.find(({ id }) => id === repository.connection);
  return connection?.readOnly === false && callerRights(world, caller, repository) === 'write' ? 'allowed' : 403;
}

/** The exchange for the service account that the role names. A key says itself whose it is; a workflow is trusted by the one named. */
export function answerExchange({ world, caller, target }: Question): 'allowed' | 400 | 403 {
  const key = caller.kind === 'sign-in-key' ? world.signInKeys.find(({ id }) => id === caller.id) : undefined;
  const account = world.accounts.find(({ id, uid }) => (key ? uid === key.serviceAccount : id === target.account));
  const isServed = isServing(world, account);
  if (caller.kind !== 'workflow') return key && !key.revoked && !key.expired && isServed ? 'allowed' : 400;
  const isTrusted = ({ subject, serviceAccount }: World['workflows'][number]) =>
    subject === caller.subject && serviceAccount === account?.uid;
  return world.workflows.some(isTrusted) && isServed ? 'allowed' : 403;
}
