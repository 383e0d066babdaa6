import { api, dataOf, type Schemas } from '../api/client.ts';
import { ApiKeys } from '../machines/api-keys.tsx';
import { CreatedKeys } from '../machines/created-keys.tsx';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';

/**
 * Shows an account's API keys. If the query contains a user, shows all keys that this user created in the account and
 * its repositories.
 */
export function View({ account: { account_id, account, may }, query }: AccountViewProps) {
  const path = { account_id };
  const type = account?.account_type ?? 'organization';
  const isLogin = type === 'service';
  const creator = query.get('made_by');
  return (
    <>
      <p class="lead">{leads[type](account_id)}</p>
      {!isLogin && may('listServiceAccounts') && (
        <p class="soft">
          For software that runs without a user, create{' '}
          <a href={hrefOf(`/accounts/${account_id}/service-accounts`)}>a service account</a>. For one data set, create
          an API key of its repository.
        </p>
      )}
      <ApiKeys
        of={account_id}
        isLogin={isLogin}
        reaches={type === 'user' ? 'your repositories' : account_id}
        keys={[account_id]}
        s3Uri={`s3://${account_id}/`}
        mayCreate={may('createAccountApiKey')}
        load={(query) => api.GET('/accounts/{account_id}/api-keys', { params: { path, query } })}
        create={(body, header) =>
          dataOf(api.POST('/accounts/{account_id}/api-keys', { params: { path, header }, body }))
        }
      />
      {may('listMadeKeys') && <CreatedKeys key={creator} account_id={account_id} isLogin={isLogin} creator={creator} />}
    </>
  );
}

const leads: Readonly<Record<Schemas['AccountType'], (id: string) => string>> = {
  user: () => 'An API key reads and writes data as you, from any S3 client, until it expires or you revoke it.',
  organization: (id) =>
    `An API key of ${id} reads and writes the data of all its repositories, until it expires or somebody revokes it.`,
  service: (id) =>
    `${id} is a platform login, for software of the site's operator. Its keys can reach its own data and open data, until they expire or an administrator revokes them.`,
};
