import { callerRights, isInvalid, mayRead } from './data.ts';
import type { Account, Answer, Flag, Question, Repository } from './data-set.ts';
import { accountOf, findAccount, findRepository, keyOf, membershipsOf } from './data-set.ts';

// The management API. Each operation has words, which `rules` defines. A caller who meets one of them may use it.
// `+keys`: also with a user's API key, as for every GET. `+services`: service accounts count as accounts. `-header`:
// the Authorization header is ignored.
const table = `\
POST,GET         /accounts/{account_id}/api-keys                               user managers admin-for-service +services
GET              /accounts/{account_id}/keys                                   user managers admin-for-service +services
DELETE           /api-keys/{access_key_id}                                     user managers repository-managers admin +services
POST,GET         /repositories/{account_id}/{repository_id}/api-keys           user managers repository-managers admin
GET              /accounts/{account_id}(|/flags|/data-connections)             user managers admin +services
PUT              (/accounts/{account_id}/flags|/accounts/{account_id}/repository-limit|/repositories/{account_id}/{repository_id}/featured)  admin +services
POST             /accounts/{account_id}/disable                                disable +services
PUT              /accounts/{account_id}/profile                                user owners admin +keys
POST             /accounts                                                     first-account create-organizations admin
GET              /accounts                                                     invite +services
GET              (/accounts/{account_id}/permissions|/repositories/{account_id}|/repositories/{account_id}/{repository_id}/permissions)  anyone
DELETE           /accounts/{account_id}/issuers/{issuer_id}                     user owners
GET              (/accounts/{account_id}/transfers|/accounts/{account_id}/issuers|/repositories/{account_id}/{repository_id}/settings)  user owners
GET              /accounts/{account_id}/blocked-accounts                       user
PUT,DELETE       /accounts/{account_id}/blocked-accounts/{blocked_account_id}  user
POST             /memberships/{membership_id}/(accept|reject)                  invited admin +services
POST             /memberships/{membership_id}/revoke                           invited revoke +services
POST             /memberships/{membership_id}/update-role                      update-role +services
POST,GET         (/accounts/{account_id}/members|/repositories/{account_id}/{repository_id}/members|/accounts/{account_id}/invitation-links|/repositories/{account_id}/{repository_id}/invitation-links)  invite +services
DELETE           (/accounts/{account_id}|/repositories/{account_id}/{repository_id})/invitation-links/{invitation_link_id}  invite +services
GET              /data-connections(|/available|/{data_connection_id})          account-holder
POST             /data-connections(|/{data_connection_id}/enable)              admin
PUT              /data-connections/{data_connection_id}                        connection
DELETE           /data-connections/{data_connection_id}                        connection admin
POST             /data-connections/{data_connection_id}/(test|delete)          connection
POST             /repositories/{account_id}                                    user managers admin +keys
PUT              /repositories/{account_id}/{repository_id}                    user managers admin +keys
GET              /repositories/{account_id}/{repository_id}                    user managers admin
POST             /repositories/{account_id}/{repository_id}/disable            user managers admin
GET              /repositories/{account_id}/{repository_id}/(usage|usage/files|usage/counter|usage.csv|usage/badge.svg)   usage-reader user managers repository-managers admin +services
GET              /accounts/{account_id}/usage                                  user managers admin +services
GET              /usage                                                        admin
GET              /administration/(accounts|disabled-repositories|data-connections|actions)  admin
GET              /repositories/{account_id}/{repository_id}/(overview|versions|versions/{version_name}|versions/{version_name}/citation)   reader
GET              /repositories/{account_id}/{repository_id}/inventory           reader user managers repository-managers
GET              /accounts/{account_id}/file-deletions(|/{deletion_id})         user managers admin
POST             /accounts/{account_id}/file-deletions/{deletion_id}/stop       admin
POST             /repositories/{account_id}/{repository_id}/inventory           user managers repository-managers
POST             (/accounts/{account_id}|/repositories/{account_id}/{repository_id})/enable   enable +services
POST             (/accounts/{account_id}/delete|/repositories/{account_id}/{repository_id}/delete|/repositories/{account_id}/{repository_id}/restore)   delete
POST             (/repositories/{account_id}/{repository_id}/transfers|/accounts/{account_id}/issuers|/transfers/{transfer_id}/accept|/transfers/{transfer_id}/decline|/transfers/{transfer_id}/withdraw)  user owners
POST             /repositories/{account_id}/{repository_id}/versions   user managers repository-managers +keys
POST             /repositories/{account_id}/{repository_id}/versions/{version_name}/(verify|withdraw|doi/register)   user managers repository-managers
PUT              /repositories/{account_id}/{repository_id}/versions/{version_name}/doi   user managers repository-managers
POST,GET         /repositories/{account_id}/{repository_id}/links               user managers repository-managers
DELETE           /repositories/{account_id}/{repository_id}/links/{link_id}     user managers repository-managers
PUT              /repositories/{account_id}/{repository_id}/data-mode          user owners
POST             (/accounts/{account_id}/service-accounts|/accounts/{account_id}/data-connections|/service-accounts/{service_account_id}/disable|/service-accounts/{service_account_id}/enable|/service-accounts/{service_account_id}/keys|/service-accounts/{service_account_id}/trusted-workflows)  user managers
GET,DELETE,PATCH /service-accounts/{service_account_id}                        user managers
PATCH            (/service-accounts/{service_account_id}|/repositories/{account_id}/{repository_id})/settings               user owners
GET              (/accounts/{account_id}/service-accounts|/accounts/{account_id}/audit-events|/service-accounts/{service_account_id}/keys|/service-accounts/{service_account_id}/trusted-workflows|/service-accounts/{service_account_id}/grants|/service-accounts/{service_account_id}/client-settings)  user managers
PUT              /service-accounts/{service_account_id}/(keys/{key_id}/expiry|grants/{repository_id})     user managers
DELETE           /service-accounts/{service_account_id}/(keys/{key_id}|grants/{repository_id}|trusted-workflows/{workflow_id}) user managers
POST             (/service-account-keys/revocations|/service-account-keys/revocations/batch|/links/{link_id}/credentials)  anyone -header
POST             /service-account-keys/reports                                 partner -header
POST             (/session/data-credentials|/invitation-links/{invitation_link_id}/show|/invitation-links/{invitation_link_id}/accept)  account-holder
GET              /whoami                                                       any-identity
GET              /(repositories|openapi.json|docs|health|accounts/{account_id}/profile)  anyone -header`;

// `me`: the caller's enabled user account. `admin`: a user with a bearer token, and an admin by flag or configuration.
type Context = Question & { me?: Account; admin: boolean; account?: Account; repository?: Repository };
type Rule = (c: Context) => boolean;
const myRole = (c: Context, uid?: string) =>
  membershipsOf(c.dataSet, c.me).find((one) => one.account === c.account?.id && one.repository?.uid === uid)?.role;
const manages = (role: string | undefined) => role === 'owners' || role === 'maintainers';
const membershipOf = (q: Question) => q.dataSet.memberships.find(({ id }) => id === q.target.membership);
const hasFlag = (c: Context, flag: Flag) => c.admin || (flag !== 'admin' && c.me?.flags.includes(flag) === true);

const user: Rule = (c) => c.me !== undefined && c.account === c.me;
const owners: Rule = (c) => c.account?.type === 'organization' && myRole(c) === 'owners';
const managers: Rule = (c) => c.account?.type === 'organization' && manages(myRole(c));
const adminFor = (c: Context, type: Account['type']) => c.admin && c.account?.type === type;
const repositoryRole = (c: Context) => c.repository && myRole(c, c.repository.uid);
// Returns true when the caller may invite. A maintainer cannot give `owners`. A user manages their own repositories.
function invite(c: Context, role = c.input.role): boolean {
  if (user(c) || owners(c) || (c.repository ? c.admin : adminFor(c, 'service'))) return true;
  const inRepository = c.account?.type === 'organization' ? repositoryRole(c) : undefined;
  return inRepository === 'owners' || (role !== 'owners' && (managers(c) || manages(inRepository)));
}
const connectionOf = ({ dataSet, target, input }: Question) =>
  dataSet.connections.find(({ id }) => id === (target.connection ?? input.connection));
const revoke: Rule = (c) => c.admin || invite(c, membershipOf(c)?.role);
const disabledBy = (c: Context) => (c.target.repository ? c.repository : c.account)?.disabledBy;
const disable: Rule = (c) =>
  managers(c) || (c.target.repository ? user(c) || c.admin : c.admin && c.account?.type !== 'organization');
const rules: Record<string, Rule> = {
  ...{ user, owners, managers, disable, revoke, invite: (c) => invite(c), admin: (c) => c.admin },
  'admin-for-service': (c) => adminFor(c, 'service'),
  'repository-managers': (c) => manages(repositoryRole(c)),
  'account-holder': (c) => c.me !== undefined,
  // Managers of an account manage its connections, and admins those of the platform. Others do not learn a free ID.
  connection: (c) => (connectionOf(c)?.owner === undefined ? c.admin : user(c) || managers(c)),
  // The kind of user that disabled a resource may enable it again. If it is enabled, both may send the request. Only an
  // admin may delete what an admin disabled.
  enable: (c) => (disabledBy(c) === 'owner' ? disable(c) : c.admin || (disable(c) && !disabledBy(c))),
  delete: (c) => (disabledBy(c) === 'admin' ? c.admin : user(c) || owners(c)),
  invited: (c) => c.me !== undefined && membershipOf(c)?.member === c.me.id,
  'update-role': (c) => revoke(c) && (c.admin || invite(c)),
  'first-account': (c) => c.me === undefined && c.input.accountType === 'user',
  'create-organizations': (c) => c.input.accountType === 'organization' && hasFlag(c, 'create_organizations'),
};

/** Every operation, such as `POST /accounts`, with the words of its row. */
export const operations = new Map(
  table.split('\n').flatMap((row) => {
    const [methods = '', path = '', ...words] = row.split(/\s+/);
    const choices = /\((.*)\)/.exec(path)?.[1]?.split('|') ?? [''];
    const paths = choices.map((choice) => path.replace(/\(.*\)/, choice));
    return methods.split(',').flatMap((method) => paths.map((one): [string, string[]] => [`${method} ${one}`, words]));
  }),
);

/** Returns the account and repository of a question, or nothing when only a missing resource could name them. */
function scopeOf({ dataSet, operation, target }: Question) {
  if (target.membership) return dataSet.memberships.find(({ id }) => id === target.membership);
  if (target.key) return dataSet.keys.find(({ id }) => id === target.key);
  const connection = target.connection ? connectionOf({ dataSet, operation, target } as Question) : undefined;
  if (connection?.owner) return { account: connection.owner };
  const offer = dataSet.transfers.find(({ id }) => id === target.transfer);
  if (target.transfer) return offer && { account: operation.endsWith('withdraw') ? offer.from : offer.to };
  const account = operation.includes('/service-accounts/') ? target.account?.split('--')[0] : target.account;
  return { account, repository: { id: target.repository } };
}

export function answerManagement(q: Question): Answer {
  const { dataSet, caller, operation, target, input } = q;
  const words = operations.get(operation) ?? [];
  const has = (word: string) => words.includes(word);
  const [key, mine, scope] = [keyOf(dataSet, caller), accountOf(dataSet, caller), scopeOf(q)];
  const isGone = key?.repository ? !dataSet.repositories.some(({ uid }) => uid === key.repository?.uid) : key && !mine;
  if ((caller.kind === 'session' || isInvalid(dataSet, caller) || isGone) && !has('-header')) return 401;
  const repository = findRepository(dataSet, scope?.account, scope?.repository?.id);
  const isUser = caller.kind === 'user';
  const isDataKey = key && mine?.type !== 'user';
  if (has('partner')) return 'refused';
  if (has('reader') && !isDataKey && mayRead(dataSet, caller, repository)) return 'allowed';
  // Usage is public for open repositories only.
  const isOpen = repository?.mode === 'open';
  if (has('usage-reader') && isOpen && !isDataKey && mayRead(dataSet, caller, repository)) return 'allowed';
  if (!has('anyone')) {
    if (caller.kind === 'anonymous') return 401;
    if (has('any-identity')) return 'allowed';
    if (isDataKey || mine?.disabledBy || !(isUser || has('+keys') || operation.startsWith('GET'))) return 403;
  }
  const isConfigured = isUser && dataSet.configuredAdmins.includes(caller.identity);
  const admin = isUser && mine !== undefined && (isConfigured || mine.flags.includes('admin'));
  if (scope === undefined) return admin ? 404 : 403;
  const found = findAccount(dataSet, scope.account);
  const account = found?.type !== 'service' || has('+services') ? found : undefined;
  const c = { ...q, me: mine?.disabledBy ? undefined : mine, admin, account, repository } as Context;
  const isAllowed = has('anyone') || words.some((word) => rules[word]?.(c));
  const [connection, isManager] = [connectionOf(q), user(c) || managers(c)];
  // An account's connection answers like a missing one, except to its managers and admins.
  const isHidden = connection?.owner !== undefined && target.connection && !(isManager || admin);
  const isAbsent =
    (scope.account && !account) || (target.repository && !repository) || (target.connection && !connection) || isHidden;
  if (operation.includes('/service-accounts/') && !findAccount(dataSet, target.account))
    return isAllowed || admin ? 404 : 403;
  if (isAbsent && operation.endsWith('/permissions')) return 'allowed';
  if (!isAllowed) return isAbsent && admin ? 'refused' : 403;
  if (isAbsent) return found?.type === 'service' && !has('anyone') ? 'refused' : 404;
  if (/^(PUT .*\/flags|POST \/accounts.*\/disable|POST .*\/enable)$/.test(operation) && account?.owner)
    return 'refused';
  if (input.connection && connection?.owner && (connection.owner !== account?.id || !isManager)) return 400;
  const flag = input.connection && connection?.requiredFlag;
  return flag && !hasFlag(c, flag) ? 400 : 'allowed';
}

// Returns true if the catalogue shows this repository. Managers and members also see unlisted ones that they may read.
export function isListed(q: Question): boolean {
  const { dataSet, caller, operation, target } = q;
  const repository = findRepository(dataSet, target.account, target.repository);
  if (repository?.state === 'listed' && mayRead(dataSet, { kind: 'anonymous' }, repository)) return true;
  if (operation === 'GET /repositories' || accountOf(dataSet, caller)?.type !== 'user') return false;
  if (mayRead(dataSet, caller, repository) && callerRights(dataSet, caller, repository) !== 'none') return true;
  return answerManagement({ ...q, operation: 'GET /repositories/{account_id}/{repository_id}' }) === 'allowed';
}
