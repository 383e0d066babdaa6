import { registry } from '../../../../lib/operations/registry.ts';
import type { Membership } from '../../../model/data-set.ts';
import type { Action, Trier } from './action.ts';
import type { RealIds } from './fixture.ts';

const unknownId = '7f3c4e62-0d7d-4a67-9d5b-0f1d2f3a4b5c';

/**
 * Returns the request that a button would send, for a user without the button. The body is the example of the
 * operation.
 */
export function requestOf(
  operation: string,
  { target }: Action,
  trier: Trier,
  { ids, membership }: { ids: RealIds; membership: Membership | undefined },
): { method: string; path: string; body: unknown } {
  const [method = '', pattern = ''] = operation.split(' ');
  const declared = registry.find((each) => each.method === method && each.path === pattern);
  if (declared === undefined) throw new Error(`the registry has no ${operation}`);
  const { account = '', repository = '', connection = '', key = '' } = target(trier);
  const names: Readonly<Record<string, string | undefined>> = {
    account_id: account,
    service_account_id: account,
    repository_id: repository || trier.disabled,
    data_connection_id: connection,
    access_key_id: ids.get(key),
    // A random membership ID, for a target without a membership in the model.
    membership_id: ids.get(membership?.member ?? '') ?? unknownId,
    blocked_account_id: trier.mate,
    key_id: ids.get(`${account} key`),
    workflow_id: ids.get(`${account} workflow`),
    version_name: 'v1',
    // Issuers and links exist only after an owner has created one.
    issuer_id: unknownId,
    link_id: unknownId,
    invitation_link_id: unknownId,
  };
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = names[name];
    if (value === undefined || value === '') throw new Error(`${operation} has no ${name} here`);
    return value;
  });
  const { body } = (declared.example ?? {}) as { body?: unknown };
  return { method, path, body: typeof body === 'string' ? JSON.stringify(body) : body };
}
