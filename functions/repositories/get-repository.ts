import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(getRepository, async ({ target }) => target.repository);
