import { createOriginAuthorizer, deployedOriginServices } from '../../lib/lambda/origin-authorizer.ts';

/** Authorizer of every route of the management API: refuses what did not come through its distribution. */
export const handler = createOriginAuthorizer(deployedOriginServices);
