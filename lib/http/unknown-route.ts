import { ServiceError } from '../domain/errors.ts';

/** Refuses every request that matches no route. */
export async function refuseUnknownRoute(): Promise<never> {
  throw new ServiceError('route_not_found', 'No such route; /api/v1/docs lists the routes there are');
}
