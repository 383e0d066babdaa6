import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createUserIssuerHandler, lambdaUserIssuer } from '../../lib/lambda/user-issuer.ts';

/** Writes the user issuer to an output of the stack. Adds a warning if a deployment changes the issuer. */
export const handler = lazyFunction(createUserIssuerHandler, lambdaUserIssuer);
