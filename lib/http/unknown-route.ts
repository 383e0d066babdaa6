import { ServiceError } from '../domain/errors.ts';

/** What is said of every request that no route takes. */
export async function refuseUnknownRoute(): Promise<never> {
  throw new ServiceError('route_not_found', 'No such route; /api/v1/docs lists the routes there are');
}
