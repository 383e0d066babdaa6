import { refreshDueIssuers } from '../../lib/issuers/refresh-due.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaIssuerRefresh } from '../../lib/lambda/issuer-refresh.ts';

/** Fetches the keys of registered issuers whose fetch is due. */
export const handler = lazyFunction(
  (services: Parameters<typeof refreshDueIssuers>[0]) => (_event: unknown) => refreshDueIssuers(services),
  createLambdaIssuerRefresh,
);
