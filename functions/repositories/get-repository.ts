import { getRepository } from '../../lib/operations/repositories.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getRepository, async ({ target }) => target.repository);
