import { type ApiServices, createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { createRequestLog } from '../log.ts';
import { systemRandom } from '../random.ts';
import { lazyFunction } from './lazy-function.ts';

/** An operation that anyone may call and that concerns no resource. It ignores the Authorization header. */
type ConstantOperation = Operation & { target: 'nothing'; permission: { kind: 'anyone' }; ignoresAuthorization: true };

/**
 * Creates the Lambda of an operation that uses only data in its bundle. It has no access to the table, a secret, or an
 * issuer, and its bundle contains no code for them.
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

function neverCalled(): never {
  throw new Error('an operation without a target that anyone may call reads nothing');
}

const unused: Omit<ApiServices, 'log'> = {
  requestData: {
    findAccountIdOfUser: neverCalled,
    findApiKey: neverCalled,
    isOfPresentRepository: neverCalled,
    findMembership: neverCalled,
    findTransfer: neverCalled,
    findDataConnection: neverCalled,
    // Return no data: the pipeline loads the target of a request, and this operation has no target.
    readRequestData: async () => ({
      callerAccount: undefined,
      account: undefined,
      repository: undefined,
      roles: { account: undefined, repository: undefined },
      serviceAccount: undefined,
    }),
  },
  userTokens: { verify: neverCalled },
  apiKeyMasters: neverCalled,
  adminIdentityIds: new Set(),
  idempotency: { begin: neverCalled, findAnswer: neverCalled, finish: neverCalled, abandon: neverCalled },
  clock: Date.now,
  random: systemRandom,
};
