import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createPeopleIssuerHandler, lambdaPeopleIssuer } from '../../lib/lambda/people-issuer.ts';

/** Writes the user issuer to an output of the stack, with a warning if a deployment changes it. */
export const handler = lazyFunction(createPeopleIssuerHandler, lambdaPeopleIssuer);
