import { constantFunction } from '../../lib/deployed/constant-function.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { answerUnknownRoute } from '../../lib/operations/public.ts';

export const handler = constantFunction(answerUnknownRoute, async () => {
  throw new ServiceError('route_not_found', 'No such route; /api/v1/docs lists the routes there are');
});
