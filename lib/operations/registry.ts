import * as accounts from './accounts.ts';
import * as apiKeys from './api-keys.ts';
import * as dataConnections from './data-connections.ts';
import * as memberships from './memberships.ts';
import type { Operation } from './operation.ts';
import * as publicOperations from './public.ts';
import * as repositories from './repositories.ts';
import * as serviceAccounts from './service-accounts.ts';
import * as session from './session.ts';
import * as transfers from './transfers.ts';

const groups = [
  ...[accounts, memberships, repositories, transfers, dataConnections],
  ...[apiKeys, serviceAccounts, session, publicOperations],
];
const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'] satisfies Operation['method'][];

/**
 * Every management operation, in the order of their paths. The stacks, the local gateway, the contract tests, and the
 * redaction of logs use this list.
 */
export const registry: readonly Operation[] = groups
  .flatMap((group): unknown[] => Object.values(group))
  .filter(isOperation)
  .sort((a, b) => comparePaths(a, b) || methods.indexOf(a.method) - methods.indexOf(b.method));

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'kind' in value && 'summary' in value;
}

function comparePaths({ path: a }: Operation, { path: b }: Operation): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
