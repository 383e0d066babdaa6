import { currentKeys } from '../../lib/domain/ci/registered-issuers.ts';
import { limits } from '../../lib/domain/limits.ts';
import { missingParts } from '../../lib/domain/service-accounts/trusted-workflows.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listTrustedWorkflows } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(listTrustedWorkflows, async ({ target, page, services, now }) => {
  const { account, serviceAccount } = target;
  const { trustedWorkflows, serviceAccounts, registeredIssuers } = services.store;
  const everyIssuer = { limit: limits.registeredIssuersMax, after: undefined };
  const [{ items, next }, grants, registered] = await Promise.all([
    trustedWorkflows.list(serviceAccount.uid, page),
    serviceAccounts.listGrants(serviceAccount.uid, { limit: 1, after: undefined }),
    registeredIssuers.list(account.account_id, everyIssuer),
  ]);
  // Add configured issuers last, so that they replace registered issuers with the same URL, as in the credential
  // exchange.
  const issuers = new Map([
    ...registered.items.map(
      (each) => [each.issuer, { kind: each.kind, hasKeys: currentKeys(each, now).length > 0 }] as const,
    ),
    ...services.ciIssuers.map(({ issuer, kind }) => [issuer, { kind, hasKeys: true }] as const),
  ]);
  const parts = {
    isAccountEnabled: !account.disabled,
    isServiceAccountEnabled: !serviceAccount.disabled,
    hasGrant: grants.items.length > 0,
    issuers,
  };
  return { items: items.map((workflow) => ({ ...workflow, missing: missingParts(workflow, parts) })), next };
});
