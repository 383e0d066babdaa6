import { ServiceError } from '../../lib/domain/errors.ts';
import { answerUnknownRoute } from '../../lib/operations/public.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(answerUnknownRoute, async () => {
  throw new ServiceError('not_found', 'There is no such address; see /api/v1/docs for those there are');
});
