import { api, dataOf } from '../api/client.ts';
import { ApiKeys } from '../machines/api-keys.tsx';
import type { RepositoryViewProps } from '../routes.ts';

/** Shows the API keys of one repository. */
export function View({ repository }: RepositoryViewProps) {
  const { account_id, account_name, repository_id, title, data, may } = repository;
  const path = { account_id, repository_id };
  return (
    <>
      <p class="lead">
        An API key of this repository reads and writes only its data, until it expires or somebody revokes it.
      </p>
      <p class="soft">
        A CI job needs no key. Trust its workflow under <em>Service accounts</em> of {account_name}: then there is no
        secret to store.
      </p>
      <ApiKeys
        of={title}
        reaches={title}
        keys={[account_id, repository_id]}
        s3Uri={data.s3_uri}
        mayCreate={may('createRepositoryApiKey')}
        load={(query) => api.GET('/repositories/{account_id}/{repository_id}/api-keys', { params: { path, query } })}
        create={(body, header) =>
          dataOf(api.POST('/repositories/{account_id}/{repository_id}/api-keys', { params: { path, header }, body }))
        }
      />
    </>
  );
}
