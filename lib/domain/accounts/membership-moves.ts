import { ServiceError } from '../errors.ts';
import type { Membership, MembershipRole, MembershipState } from './memberships.ts';

export type MembershipMove = 'accept' | 'reject' | 'revoke' | { role: MembershipRole };

/**
 * Applies a move of the state machine of memberships: `invited` to `member` (accept) or `revoked` (reject), and both to
 * `revoked` (revoke), which is final. Returns undefined if the move changes nothing. Throws `wrong_state` if the move
 * is not possible.
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
