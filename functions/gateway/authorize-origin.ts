import { createOriginAuthorizer, deployedOriginServices } from '../../lib/lambda/origin-authorizer.ts';

/** Authorizer of every route of the management API. Refuses requests that did not come through CloudFront. */
export const handler = createOriginAuthorizer(deployedOriginServices);
