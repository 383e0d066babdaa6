import { mayUseDataConnection } from '../../lib/domain/accounts/permissions.ts';
import { requireAccountConnectionsOn, requireDataMode } from '../../lib/domain/data/connection-rules.ts';
import { expandPrefixTemplate } from '../../lib/domain/data/data-connections.ts';
import type { RepositoryRecord } from '../../lib/domain/data/repositories.ts';
import { changedMeta } from '../../lib/domain/data/repository-meta.ts';
import { choosePrefix, ownPrefix } from '../../lib/domain/data/storage-prefixes.ts';
import { invalidInput, ServiceError } from '../../lib/domain/errors.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { firstVersionAt } from '../../lib/domain/versions.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(createRepository, async (context) => {
  const { caller, target, body, actsAsAdmin, services, now, event } = context;
  const { account } = target;
  const { repository_id, data_mode, meta, data_connection_id, adopt_objects = false } = body;
  if (account.account_type === 'service') {
    throw invalidInput([
      { path: 'account_id', message: 'a service account owns no repositories; name the account that owns it' },
    ]);
  }
  const use = { account_id: account.account_id, asAdmin: actsAsAdmin };
  const dataConnection = await services.store.requestData.findDataConnection(data_connection_id);
  if (dataConnection === undefined || !mayUseDataConnection(caller, use, dataConnection)) {
    const message = 'is not a data connection that you may use; list the available ones';
    throw invalidInput([{ path: 'data_connection_id', message }]);
  }
  if (dataConnection.owner_account_id !== undefined) requireAccountConnectionsOn(services.accountConnections);
  if (dataConnection.state === 'draft') {
    const message = `${data_connection_id} is a draft: it is not shown yet that its owner controls the storage; run its test first`;
    throw new ServiceError('data_connection_refused', message);
  }
  requireDataMode(dataConnection, data_mode);
  const { account_id } = account;
  const { prefix_template } = dataConnection;
  const usual = expandPrefixTemplate(prefix_template, { account_id, repository_id });
  const holder = await services.store.repositories.findHolder({ data_connection_id, prefix: usual });
  const choice = choosePrefix({ account_id, repository_id, data_mode, adopt_objects }, holder);
  const uid = services.random.uuid();
  const prefix = choice === 'own' ? ownPrefix(prefix_template, { account_id, repository_id, uid }) : usual;
  const repository: RepositoryRecord = {
    uid,
    account_id,
    repository_id,
    state: 'unlisted',
    data_mode,
    featured: 0,
    meta: changedMeta({}, meta),
    data: { primary_mirror: data_connection_id, mirrors: { [data_connection_id]: { data_connection_id, prefix } } },
    published: toTimestamp(now),
    updated: toTimestamp(now),
    disabled: false,
    version: firstVersionAt(now),
    ...(dataConnection.owner_account_id === undefined ? {} : { on_own_connection: true }),
  };
  const created = event('repository.created', account_id, { account_id, repository_id });
  const previous = choice === 'left' && holder !== undefined ? { holder, isAdopted: adopt_objects } : undefined;
  await services.store.repositories.create(repository, dataConnection, previous, created, { asAdmin: actsAsAdmin });
  return repository;
});
