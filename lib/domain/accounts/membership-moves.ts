import { ServiceError } from '../errors.ts';
import type { Membership, MembershipRole, MembershipState } from './memberships.ts';

export type MembershipMove = 'accept' | 'reject' | 'revoke' | { role: MembershipRole };

/**
 * The state machine of memberships: `invited` to `member` (accept) or `revoked` (reject), either to `revoked` (revoke),
 * which is final. Undefined when the move changes nothing; throws `wrong_state` when it cannot be made.
 */
export function moveMembership(
  { state, role }: Pick<Membership, 'state' | 'role'>,
  move: MembershipMove,
): { state: MembershipState; role: MembershipRole } | undefined {
  if (move === 'revoke') return state === 'revoked' ? undefined : { state: 'revoked', role };
  if (move === 'accept' || move === 'reject') {
    if (state !== 'invited') {
      throw new ServiceError('wrong_state', `This invitation is no longer open: the membership is ${state}`);
    }
    return { state: move === 'accept' ? 'member' : 'revoked', role };
  }
  if (state === 'revoked')
    throw new ServiceError('wrong_state', 'The membership is revoked; send a new invitation instead');
  return move.role === role ? undefined : { state, role: move.role };
}
