import type { Answer, Question, World } from '../model/world.ts';

/** A difference that is to go away, with what the model would have to believe for it. */
export interface KnownDifference {
  why: string;
  /** The world as the service still sees it. */
  asSeen(world: World): World;
}

export const knownDifferences: readonly KnownDifference[] = [];

/** A service that says `refused` let it through and then refused it for another reason than who asked. */
export function isAgreed(model: Answer, service: Answer): boolean {
  if (model === service) return true;
  return model === 'refused' ? service !== 'allowed' : model === 'allowed' && service === 'refused';
}

/**
 * A refusal that is about what a thing is, not about who asks: the rules let it through and `run` refuses. Nobody but an
 * account's own kind tells that a service account has no profile, and nobody but a signature that a partner reports.
 */
export function isLeftToRun({ world, operation, target }: Question, model: Answer): boolean {
  if (operation === 'POST /service-account-keys/reports') return true;
  const account = world.accounts.find(({ id }) => id === target.account);
  return account?.type === 'service' && (model === 404 || model === 'refused');
}
