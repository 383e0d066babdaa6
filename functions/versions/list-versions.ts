import { versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listVersions } from '../../lib/operations/versions.ts';

export const handler = apiFunction(listVersions, ({ target, page, services }) =>
  services.store.repositoryVersions.list(versionsUidOf(target.repository), page),
);
