import type { Operation } from '../../../../../lib/operations/operation.ts';
import type { Account, Caller, DataSet, Flag, Membership } from '../../../../model/data-set.ts';
import { answerManagement, operations } from '../../../../model/management.ts';
import { type CallerKind, callerKinds, type Scope, type Verdict } from './matrix-shape.ts';

const roles = ['owners', 'maintainers', 'read_data', 'write_data'] as const;
const keyOwners = {
  ...{ self_key: 'self', owner_key: 'owners', admin_key: 'admin' },
  ...{ service_key: 'service', organization_key: 'organization' },
};
const flags: Partial<Record<string, Flag[]>> = {
  self: ['create_organizations'],
  disabled_admin: ['admin'],
  admin: ['admin'],
};

/** Returns the verdict of the reference model, on an account of this type and its private repository. */
export function modelledVerdict(
  operation: Operation,
  kind: CallerKind,
  scope: Scope,
  { isOfRepository, isOwned }: { isOfRepository: boolean; isOwned: boolean },
): Verdict {
  if (operation.kind === 'fallback') return 'allowed';
  const route = `${operation.method} ${operation.path}`;
  const target = scope === 'user' ? 'self' : scope === 'service' ? 'service' : 'organization';
  const namesRepository = isOfRepository || operation.path.includes('{repository_id}');
  const answer = answerManagement({
    dataSet: dataSetAround(target, isOfRepository),
    caller: callerOf(kind),
    operation: route,
    target: {
      account: operation.target === 'data_connection' ? undefined : target,
      repository: namesRepository ? 'gauges' : undefined,
      transfer: operation.path.includes('{transfer_id}') ? 'offer' : undefined,
      membership: operation.path.includes('{membership_id}') ? 'invitation' : undefined,
      key: operation.path.includes('{access_key_id}') ? 'named_key' : undefined,
      connection: operation.path.includes('{data_connection_id}') ? (isOwned ? 'own' : 'store') : undefined,
    },
    input: { role: 'read_data', ...(scope !== 'any' && { accountType: scope }) },
  });
  if (answer === 401) return 'unauthenticated';
  // These operations treat a service account as a missing account. An admin gets 404 for it, although the operation
  // allows no caller.
  const words = operations.get(route) ?? [];
  const hasNoTarget = scope === 'service' && !['+services', 'anyone', 'admin'].some((word) => words.includes(word));
  // A request for the storage connection of another account gets 404, which does not show whether it exists.
  return answer === 403 || (isOwned && answer === 404) || hasNoTarget ? 'denied' : 'allowed';
}

function callerOf(kind: CallerKind): Caller {
  if (kind === 'anonymous') return { kind };
  if (kind.endsWith('_key')) return { kind: 'key', id: kind };
  return { kind: 'user', identity: kind === 'newcomer' ? 'without an account' : kind };
}

/** Builds one user of each kind, an organization, and a platform service account, with the roles in the target. */
function dataSetAround(target: string, isOfRepository: boolean): DataSet {
  const account = (id: string, more: Partial<Account> = {}): Account => ({
    ...{ id, uid: id, type: 'user', flags: flags[id] ?? [], identity: id },
    disabledBy: id.startsWith('disabled') ? 'owner' : undefined,
    ...more,
  });
  const repositoryOf = (id: string) => ({ id: 'gauges', uid: `${id}/gauges` });
  const membership = (member: string, role: Membership['role'], repository?: Membership['repository']): Membership => ({
    ...{ id: member, account: target, member, role, state: 'member', repository },
  });
  const keyOf = (id: string, owner: string, repository?: Membership['repository']) => ({
    ...{ id, account: owner, repository, revoked: false, expired: false },
  });
  const repositoryOwner = target === 'service' ? 'organization' : target;
  return {
    accounts: [
      ...callerKinds.map((kind) => account(kind)),
      ...(['organization', 'service'] as const).map((type) => account(type, { type, identity: undefined })),
    ],
    repositories: ['self', 'organization'].map((id) => ({
      ...{ ...repositoryOf(id), account: id, mode: 'private', state: 'listed', connection: 'store' },
      disabledBy: undefined,
    })),
    memberships: [
      ...roles.map((role) => membership(role, role)),
      ...roles.map((role) => membership(`repository_${role}`, role, repositoryOf(target))),
      membership('disabled_user', 'owners'),
      {
        ...membership('invited', 'read_data', isOfRepository ? repositoryOf(target) : undefined),
        ...{ id: 'invitation', state: 'invited' },
      },
    ],
    connections: [
      { id: 'store', readOnly: false, modes: [] },
      { id: 'own', readOnly: false, modes: [], owner: target },
    ],
    keys: [
      ...Object.entries(keyOwners).map(([id, owner]) => keyOf(id, owner)),
      keyOf('repository_key', repositoryOwner, repositoryOf(repositoryOwner)),
      keyOf('named_key', target, isOfRepository ? repositoryOf(target) : undefined),
    ],
    ...{ signInKeys: [], workflows: [], grants: [], links: [], configuredAdmins: [], endedSources: [] },
    transfers: [{ id: 'offer', from: target, to: target }],
  };
}
