import { lambdaPeopleIssuer, peopleIssuerFunction } from '../../lib/lambda/people-issuer.ts';

/** Writes the user issuer to an output of the stack, with a warning if a deployment changes it. */
export const handler = peopleIssuerFunction(lambdaPeopleIssuer);
