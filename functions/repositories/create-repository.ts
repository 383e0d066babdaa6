import { apiFunction } from '../../lib/deployed/api-function.ts';
import { mayUseDataConnection } from '../../lib/domain/accounts/permissions.ts';
import { expandPrefixTemplate } from '../../lib/domain/data/data-connections.ts';
import type { RepositoryRecord } from '../../lib/domain/data/repositories.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { invalidInput } from '../../lib/http/validate.ts';
import { createRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(createRepository, async ({ caller, target, body, services, now, event }) => {
  const { account } = target;
  const { repository_id, data_mode, meta, data_connection_id } = body;
  if (account.account_type === 'service') {
    throw invalidInput([{ path: 'account_id', message: 'a service account owns no repositories; name its owner' }]);
  }
  const { dataConnection } = await services.store.facts.readFacts({ dataConnectionId: data_connection_id });
  if (dataConnection === undefined || !mayUseDataConnection(caller, dataConnection.required_flag)) {
    const message = 'is not a data connection that you may use; list the available ones';
    throw invalidInput([{ path: 'data_connection_id', message }]);
  }
  if (!dataConnection.allowed_data_modes.includes(data_mode)) {
    const modes = dataConnection.allowed_data_modes.join(', ') || 'none';
    throw invalidInput([{ path: 'data_mode', message: `this data connection allows ${modes}` }]);
  }
  const { account_id } = account;
  const prefix = expandPrefixTemplate(dataConnection.prefix_template, { account_id, repository_id });
  const repository: RepositoryRecord = {
    uid: services.random.uuid(),
    account_id,
    repository_id,
    state: 'unlisted',
    data_mode,
    featured: 0,
    meta,
    data: { primary_mirror: data_connection_id, mirrors: { [data_connection_id]: { data_connection_id, prefix } } },
    published: toTimestamp(now),
    disabled: false,
  };
  const created = event('repository.created', account_id, { account_id, repository_id });
  await services.store.repositories.create(repository, dataConnection, created);
  return repository;
});
