import type { Answer, Question, World } from '../model/world.ts';

/** A difference that is to be removed, with the change of the model's data that would explain it. */
export interface KnownDifference {
  why: string;
  /** Returns the data as the service still sees it. */
  asSeen(world: World): World;
}

export const knownDifferences: readonly KnownDifference[] = [];

/**
 * Returns true when both answers agree. With `refused`, authorization let the caller pass, and the service refused for
 * another reason.
 */
export function isAgreed(model: Answer, service: Answer): boolean {
  if (model === service) return true;
  return model === 'refused' ? service !== 'allowed' : model === 'allowed' && service === 'refused';
}

/**
 * Returns true for a refusal about the kind of resource, not about the caller: authorization allows the request and
 * `run` refuses it. Only the kind of account shows that a service account has no profile. Only a signature shows that a
 * partner sends a report.
 */
export function isLeftToRun({ world, operation, target }: Question, model: Answer): boolean {
  if (operation === 'POST /service-account-keys/reports') return true;
  const account = world.accounts.find(({ id }) => id === target.account);
  return account?.type === 'service' && (model === 404 || model === 'refused');
}
