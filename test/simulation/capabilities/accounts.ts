import type { DataSet } from '../../model/data-set.ts';
import { type Capability, manage, type StepContext } from '../capability.ts';

const newUsers = ['dan', 'eve'] as const;
const newIds = ['dunes', 'shoals'] as const;

/**
 * Ends the credentials of a service account by giving the account a new internal ID. The model knows the credentials by
 * the old ID.
 */
export function endSessionsOf(dataSet: DataSet, serviceAccountId: string): void {
  const account = dataSet.accounts.find(({ id }) => id === serviceAccountId);
  if (account === undefined) return;
  const [former, uid] = [account.uid, `${account.uid}+`];
  account.uid = uid;
  for (const grant of dataSet.grants) if (grant.serviceAccount === former) grant.serviceAccount = uid;
  for (const one of [...dataSet.workflows, ...dataSet.signInKeys])
    if (one.serviceAccount === former) one.serviceAccount = uid;
}

/** Ends links for good, as disabling a repository does. */
export function endLinks(dataSet: DataSet, isMeant: (link: DataSet['links'][number]) => boolean): void {
  for (const link of dataSet.links) if (isMeant(link)) link.ended = true;
}

function createUser(context: StepContext) {
  const [identity = 'dan', id = 'dunes'] = [context.pick(newUsers), context.pick(newIds)];
  return manage(context, {
    words: `${identity} creates the user account ${id}`,
    identity,
    operation: 'POST /accounts',
    input: { accountType: 'user' },
    path: '/accounts',
    body: { account_id: id, account_type: 'user', profile: {} },
    isCreate: true,
    apply: (dataSet) => {
      dataSet.accounts.push({ id, uid: id, type: 'user', disabledBy: undefined, flags: [], identity });
    },
  });
}

function createOrganization(context: StepContext) {
  const id = context.pick(newIds) ?? 'dunes';
  return manage(context, {
    words: `ada creates the organization ${id}`,
    identity: 'ada',
    operation: 'POST /accounts',
    input: { accountType: 'organization' },
    path: '/accounts',
    body: { account_id: id, account_type: 'organization', profile: {} },
    isCreate: true,
    apply: (dataSet, written) => {
      dataSet.accounts.push({ id, uid: id, type: 'organization', disabledBy: undefined, flags: [] });
      const membership = String(written('membership')?.['membership_id']);
      dataSet.memberships.push({ id: membership, member: 'ada', account: id, role: 'owners', state: 'member' });
    },
  });
}

function disable(context: StepContext) {
  const [identity, id] = context.pick([
    ['admin', 'ben'],
    ['ada', 'tides'],
    ['ben', 'tides'],
    ['cyd', 'ben'],
    ['ada', 'dunes'],
  ] as const) ?? ['ada', 'tides'];
  return manage(context, {
    words: `${identity} disables the account ${id}`,
    identity,
    operation: 'POST /accounts/{account_id}/disable',
    target: { account: id },
    path: `/accounts/${id}/disable`,
    apply: (dataSet) => {
      const account = dataSet.accounts.find((one) => one.id === id);
      if (account === undefined || account.disabledBy === 'admin') return;
      const wasEnabled = account.disabledBy === undefined;
      endLinks(dataSet, ({ creator, repository }) => {
        const owner = dataSet.repositories.find(({ uid }) => uid === repository)?.account;
        return creator === id || owner === id;
      });
      account.disabledBy = identity === 'admin' ? 'admin' : 'owner';
      if (wasEnabled) for (const owned of dataSet.accounts) if (owned.owner === id) endSessionsOf(dataSet, owned.id);
    },
  });
}

function enable(context: StepContext) {
  const disabled = context.dataSet.accounts.filter(({ type, disabledBy }) => type !== 'service' && disabledBy);
  const account = context.pick(disabled);
  if (account === undefined) return undefined;
  const identity = context.pick([account.disabledBy === 'admin' ? 'admin' : 'ada', 'ben'] as const) ?? 'ada';
  return manage(context, {
    words: `${identity} enables the account ${account.id}`,
    identity,
    operation: 'POST /accounts/{account_id}/enable',
    target: { account: account.id },
    path: `/accounts/${account.id}/enable`,
    apply: (dataSet) => {
      const found = dataSet.accounts.find(({ id }) => id === account.id);
      if (found !== undefined) found.disabledBy = undefined;
    },
  });
}

/**
 * Deletes an account. The service refuses the deletion while the account owns a repository, which is always the case
 * while a version exists.
 */
function remove(context: StepContext) {
  const account = context.pick(context.dataSet.accounts.filter(({ id }) => [...newIds, 'tides'].includes(id)));
  if (account === undefined) return undefined;
  const identity = context.pick([account.identity ?? 'ada', account.identity ?? 'ada', 'ben']) ?? 'ada';
  return manage(context, {
    words: `${identity} deletes the account ${account.id}`,
    identity,
    operation: 'POST /accounts/{account_id}/delete',
    target: { account: account.id },
    path: `/accounts/${account.id}/delete`,
    body: { confirm: account.id },
    apply: (dataSet) => {
      dataSet.accounts = dataSet.accounts.filter(({ id }) => id !== account.id);
      for (const membership of dataSet.memberships)
        if (membership.account === account.id || membership.member === account.id) membership.state = 'revoked';
    },
  });
}

export const accounts: Capability = {
  name: 'accounts',
  actions: {
    'create user account': { weight: 2, run: async (context) => void (await createUser(context)) },
    'create organization': { weight: 2, run: async (context) => void (await createOrganization(context)) },
    'disable account': { weight: 2, run: async (context) => void (await disable(context)) },
    'enable account': { weight: 3, run: async (context) => void (await enable(context)) },
    'delete account': { weight: 1, run: async (context) => void (await remove(context)) },
  },
  stored: (items) =>
    items.flatMap(({ entity, account_id, account_type, identity_id, disabled }) =>
      entity === 'account' && account_type !== 'service'
        ? [`account ${account_id} ${account_type} ${account_type === 'user' ? identity_id : ''} ${disabled}`]
        : [],
    ),
  modeled: ({ accounts: all }) =>
    all.flatMap(({ id, type, identity = '', disabledBy }) =>
      type === 'service' ? [] : [`account ${id} ${type} ${identity} ${disabledBy !== undefined}`],
    ),
};
