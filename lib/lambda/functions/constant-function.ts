import { type ApiServices, createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { createRequestLog } from '../log.ts';
import { systemRandom } from '../random.ts';
import { lazyFunction } from './lazy-function.ts';

/** An operation that anyone may call, whose Authorization header nobody looks at, and that has no target. */
type ConstantOperation = Operation & { target: 'nothing'; permission: { kind: 'anyone' }; ignoresAuthorization: true };

/**
 * The Lambda of an operation that answers from what its own bundle holds: it has no table, no secret and no issuer, so the
 * bundle carries nothing of them.
 */
export function constantFunction<Op extends ConstantOperation, More extends object = object>(
  operation: Op,
  run: Run<Op, ApiServices & More>,
  createMore: () => More = () => ({}) as More,
) {
  return lazyFunction(
    (services: ApiServices & More) => createApiHandler(operation, run, services),
    () => ({ ...unused, log: createRequestLog(), ...createMore() }),
  );
}

function neverAsked(): never {
  throw new Error('an operation without a target, whom anyone may call, asks for nothing');
}

const unused: Omit<ApiServices, 'log'> = {
  facts: {
    findAccountIdOfPerson: neverAsked,
    findApiKey: neverAsked,
    isOfPresentRepository: neverAsked,
    findMembership: neverAsked,
    findTransfer: neverAsked,
    // The pipeline loads what the request names, which is nothing.
    readRequestData: async () => ({
      callerAccount: undefined,
      account: undefined,
      repository: undefined,
      roles: { account: undefined, repository: undefined },
      dataConnection: undefined,
      serviceAccount: undefined,
    }),
  },
  personTokens: { verify: neverAsked },
  apiKeyMasters: neverAsked,
  adminIdentityIds: new Set(),
  idempotency: { begin: neverAsked, findAnswer: neverAsked, finish: neverAsked, abandon: neverAsked },
  clock: Date.now,
  random: systemRandom,
};
