import { lambdaPeopleIssuer, peopleIssuerFunction } from '../../lib/lambda/people-issuer.ts';

/** Writes the people's issuer into an output of the stack, with a warning when a deployment changes it. */
export const handler = peopleIssuerFunction(lambdaPeopleIssuer);
