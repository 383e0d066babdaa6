import type { Operation } from '../../lib/operations/operation.ts';
import type { OperationOnAccount } from '../lib/domain/accounts/permissions/matrix-shape.ts';
import { repositoryMeta, usedConnection } from './fixture.ts';

/** A valid body for each operation that requires one, so that only the path can be refused. */
const bodies: Readonly<Record<Extract<OperationOnAccount, { body: object }>['name'], unknown>> = {
  'update-account-flags': [],
  'set-repository-limit': { repositories_max: 1200 },
  'delete-account': { confirm: 'bravo-org' },
  'update-profile': { bio: 'Was here' },
  'create-account-api-key': { name: 'taken', expires: '2090-01-01T00:00:00Z' },
  'create-repository-api-key': { name: 'taken', expires: '2090-01-01T00:00:00Z' },
  'invite-account-member': { account_id: 'outsider', role: 'read_data' },
  'invite-repository-member': { account_id: 'outsider', role: 'read_data' },
  'update-membership-role': '"write_data"',
  'create-repository': {
    repository_id: 'made-by-another',
    data_mode: 'open',
    meta: repositoryMeta,
    data_connection_id: usedConnection.data_connection_id,
  },
  'update-repository': { meta: repositoryMeta, state: 'listed' },
  'change-data-mode': { data_mode: 'open' },
  'delete-repository': { confirm: 'bravo-org/bravo-data' },
  'offer-transfer': { to: 'outsider' },
  'create-service-account': { name: 'intruder' },
  'update-service-account': { description: 'Was here' },
  'issue-service-account-key': { label: 'intruder', expiry: 'never' },
  'change-service-account-key-expiry': { expiry: 'never' },
  'put-grant': { access: 'read' },
  'trust-workflow': { repository: 'intruder/pipelines', branch: 'main' },
};

export function bodyFor({ name }: Operation): unknown {
  return (bodies as Readonly<Record<string, unknown>>)[name];
}
