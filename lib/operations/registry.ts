import { accountOperations } from './accounts.ts';
import { administrationOperations } from './administration.ts';
import { apiKeyOperations } from './api-keys.ts';
import { dataConnectionOperations } from './data-connections.ts';
import { issuerOperations } from './issuers.ts';
import { linkOperations } from './links.ts';
import { membershipOperations } from './memberships.ts';
import type { Operation } from './operation.ts';
import { publicOperations } from './public.ts';
import { repositoryOperations } from './repositories.ts';
import { serviceAccountOperations } from './service-accounts.ts';
import { sessionOperations } from './session.ts';
import { transferOperations } from './transfers.ts';
import { unknownRouteOperations } from './unknown-route.ts';
import { usageOperations } from './usage.ts';
import { versionOperations } from './versions.ts';

/** All operations of the management API. The field `permissions` in responses lists them in this order. */
export const registry: readonly Operation[] = [
  ...accountOperations,
  ...apiKeyOperations,
  ...membershipOperations,
  ...dataConnectionOperations,
  ...repositoryOperations,
  ...linkOperations,
  ...versionOperations,
  ...transferOperations,
  ...serviceAccountOperations,
  ...issuerOperations,
  ...usageOperations,
  ...administrationOperations,
  ...sessionOperations,
  ...publicOperations,
  ...unknownRouteOperations,
];
