import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createUserIssuerHandler, lambdaUserIssuer } from '../../lib/lambda/user-issuer.ts';

/** Writes the user issuer to an output of the stack, with a warning if a deployment changes it. */
export const handler = lazyFunction(createUserIssuerHandler, lambdaUserIssuer);
