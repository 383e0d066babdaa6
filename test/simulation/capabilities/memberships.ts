import type { Membership } from '../../model/data-set.ts';
import { type Capability, manage, type StepContext } from '../capability.ts';

const roles = ['read_data', 'write_data', 'maintainers'] as const;

async function invite(context: StepContext) {
  const member = context.pick(['ben', 'cyd'] as const) ?? 'cyd';
  const role = context.pick(roles) ?? 'write_data';
  const id = context.pick([undefined, 'closed'] as const);
  const repository = context.dataSet.repositories.find((one) => one.account === 'tides' && one.id === id);
  const of = repository === undefined ? 'tides' : `tides/${repository.id}`;
  await manage(context, {
    words: `ada invites ${member} as ${role} of ${of}`,
    identity: 'ada',
    operation: `POST ${repository ? '/repositories/{account_id}/{repository_id}' : '/accounts/{account_id}'}/members`,
    target: { account: 'tides', repository: repository?.id },
    input: { role },
    path: `/${repository ? 'repositories' : 'accounts'}/${of}/members`,
    body: { account_id: member, role },
    isCreate: true,
    apply: (dataSet, written) => {
      const membership_id = String(written('membership')?.['membership_id']);
      const scope = repository && { repository: { id: repository.id, uid: repository.uid } };
      dataSet.memberships.push({ id: membership_id, member, account: 'tides', ...scope, role, state: 'invited' });
    },
  });
}

/** A step of the simulation that changes an existing membership. */
function change(verb: string, path: string, states: readonly Membership['state'][], state?: Membership['state']) {
  return async (context: StepContext) => {
    const found = context.dataSet.memberships.filter((one) => one.account === 'tides' && states.includes(one.state));
    const membership = context.pick(found);
    const role = context.pick(roles) ?? 'read_data';
    if (membership === undefined) return;
    const own = path === 'accept' || path === 'reject';
    const identity =
      context.pick([own ? membership.member : 'ada', own ? membership.member : 'ada', 'cyd'] as const) ?? 'ada';
    const named = `${membership.role} of ${membership.account}/${membership.repository?.id ?? ''}`;
    await manage(context, {
      words: `${identity} ${verb} the membership of ${membership.member} as ${named}${state ? '' : ` to ${role}`}`,
      identity,
      operation: `POST /memberships/{membership_id}/${path}`,
      target: { membership: membership.id },
      input: state ? {} : { role },
      path: `/memberships/${membership.id}/${path}`,
      ...(state ? {} : { body: role }),
      apply: (dataSet) => {
        const one = dataSet.memberships.find(({ id }) => id === membership.id);
        if (one === undefined) return;
        if (state === undefined) one.role = role;
        else one.state = state;
      },
    });
  };
}

export const memberships: Capability = {
  name: 'memberships',
  actions: {
    invite: { weight: 4, run: invite },
    accept: { weight: 5, run: change('accepts', 'accept', ['invited'], 'member') },
    reject: { weight: 1, run: change('rejects', 'reject', ['invited'], 'revoked') },
    'revoke membership': { weight: 4, run: change('revokes', 'revoke', ['invited', 'member'], 'revoked') },
    'update role': { weight: 4, run: change('changes', 'update-role', ['member']) },
  },
  stored: (items) =>
    items.flatMap(({ entity, account_id, membership_account_id, repository_id = '', role, state }) =>
      entity === 'membership'
        ? [`membership ${account_id} ${membership_account_id}/${repository_id} ${role} ${state}`]
        : [],
    ),
  modeled: (dataSet) =>
    dataSet.memberships.map(
      ({ member, account, repository, role, state }) =>
        `membership ${member} ${account}/${repository?.id ?? ''} ${role} ${state}`,
    ),
};
