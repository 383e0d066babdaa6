import { expect, test } from 'vitest';
import type { AccountType } from '../../../../../lib/domain/accounts/accounts.ts';
import type { Caller } from '../../../../../lib/domain/accounts/callers.ts';
import { type MembershipRole, membershipRoles, type Roles } from '../../../../../lib/domain/accounts/memberships.ts';
import {
  type AccountScope,
  accountRules,
  type MembershipStep,
  mayInvite,
  mayMoveMembership,
} from '../../../../../lib/domain/accounts/permissions.ts';
import { newAccount } from '../../../store/open-store.ts';
import { callerOf, person } from './caller-facts.ts';

/** Rules that the matrix omits: which role a membership has, and who holds it. */

const handlers = ['self', 'owners', 'maintainers', 'repository_owners', 'repository_maintainers', 'admin'] as const;
type Handler = (typeof handlers)[number];
type Place = 'user' | 'organization' | 'repository of a user' | 'repository of an organization';

const everyRole: readonly MembershipRole[] = membershipRoles;
const butOwners: readonly MembershipRole[] = ['maintainers', 'read_data', 'write_data'];
/** The roles that each caller may give, change, and remove. The others have none. */
const handled: Record<Place, Partial<Record<Handler, readonly MembershipRole[]>>> = {
  user: { self: everyRole },
  organization: { owners: everyRole, maintainers: butOwners },
  'repository of a user': { self: everyRole, admin: everyRole },
  'repository of an organization': {
    owners: everyRole,
    maintainers: butOwners,
    repository_owners: everyRole,
    repository_maintainers: butOwners,
    admin: everyRole,
  },
};

const cells = (Object.keys(handled) as Place[]).flatMap((place) =>
  handlers.map((handler) => ({ place, handler, roles: handled[place][handler] ?? [] })),
);

test.for(cells)('$handler of a $place may invite as exactly: $roles', ({ place, handler, roles }) => {
  const { caller, scope, rule } = stage(place, handler);
  expect(everyRole.filter((role) => mayInvite(rule, caller, scope, role))).toEqual(roles);
});

// The specification (operations 15 to 18) says only "authorized". An admin may use all four, even for an account where it
// may not invite.
test.for(cells)('$handler of a $place may revoke and change exactly: $roles', ({ place, handler, roles }) => {
  const { caller, scope, membership } = stage(place, handler);
  const allowed = handler === 'admin' ? everyRole : roles;
  expect(everyRole.filter((role) => mayMoveMembership('revoke', caller, scope, { ...membership, role }))).toEqual(
    allowed,
  );
  for (const from of everyRole) {
    const changed = everyRole.filter((to) =>
      mayMoveMembership('change_role', caller, scope, { ...membership, role: from }, to),
    );
    expect({ from, changed }).toEqual({ from, changed: allowed.includes(from) ? allowed : [] });
  }
});

const ownSteps: Record<MembershipStep, boolean> = { answer: true, revoke: true, change_role: false };

test.for(Object.entries(ownSteps))(
  'a member without a managing role may %s its own membership: %s',
  ([step, expected]) => {
    for (const place of Object.keys(handled) as Place[]) {
      for (const role of butOwners.filter((own) => own !== 'maintainers')) {
        const { scope, membership } = stage(place, 'owners');
        const own = { ...membership, account_id: 'member', role };
        const roles: Roles = { account: role, repository: role };
        const caller = person(newAccount('member'));
        const may = mayMoveMembership(step as MembershipStep, caller, { ...scope, roles }, own, 'read_data');
        expect({ place, role, may }).toEqual({ place, role, may: expected });
      }
    }
  },
);

test.for(['self', 'owners', 'repository_owners', 'owners of both'])(
  'an invitation is answered by the invited account, and not by %s',
  (kind) => {
    const { scope, membership } = stage('repository of an organization', 'owners');
    const roles: Roles = { account: 'owners', repository: 'owners' };
    expect(mayMoveMembership('answer', person(newAccount(kind)), { ...scope, roles }, membership)).toBe(false);
  },
);

function stage(place: Place, handler: Handler) {
  const type: AccountType = place.endsWith('user') ? 'user' : 'organization';
  const isRepository = place.startsWith('repository');
  const target = newAccount('target', { account_type: type });
  const caller: Caller = callerOf(handler, target);
  const roles: Roles = {
    account: handler === 'owners' || handler === 'maintainers' ? handler : undefined,
    repository:
      handler === 'repository_owners' ? 'owners' : handler === 'repository_maintainers' ? 'maintainers' : undefined,
  };
  const scope: AccountScope = { account: target, roles: isRepository ? roles : { ...roles, repository: undefined } };
  return {
    caller,
    scope,
    rule: isRepository ? accountRules.repository_members : accountRules.account_members,
    membership: {
      account_id: 'guest',
      role: 'read_data' as const,
      ...(isRepository ? { repository_id: 'gauges' } : {}),
    },
  };
}
