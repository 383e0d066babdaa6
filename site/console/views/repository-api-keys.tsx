import { answerOf, api, dataOf, pageQuery } from '../api/client.ts';
import { ApiKeys } from '../machines/api-keys.tsx';
import type { RepositoryViewProps } from '../routes.ts';

/** Shows the API keys of one repository. */
export function View({
  repository: { account_id, account_name, repository_id, title, data, may },
}: RepositoryViewProps) {
  const path = { account_id, repository_id };
  return (
    <>
      <p class="lead">
        A key of this repository reads and writes its data and nothing else, until it expires or somebody ends it.
      </p>
      <p class="soft">
        A CI job needs no key: under <em>Service accounts</em> of {account_name}, its workflow is trusted, and there is
        no secret to store.
      </p>
      <ApiKeys
        of={title}
        reaches={title}
        keys={[account_id, repository_id]}
        s3Uri={data.s3_uri}
        may={{ create: may('createRepositoryApiKey') }}
        load={(cursor) =>
          answerOf(
            api.GET('/repositories/{account_id}/{repository_id}/api-keys', {
              params: { path, query: pageQuery(cursor) },
            }),
          )
        }
        create={(body, header) =>
          dataOf(api.POST('/repositories/{account_id}/{repository_id}/api-keys', { params: { path, header }, body }))
        }
      />
    </>
  );
}
