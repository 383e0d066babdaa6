import { answerOf, api, dataOf, pageQuery, type Schemas } from '../api/client.ts';
import { ApiKeys } from '../machines/api-keys.tsx';
import { CreatedKeys } from '../machines/created-keys.tsx';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';

/** Shows an account's API keys, and the keys that a given user created anywhere in the account. */
export function View({ account: { account_id, account, may }, query }: AccountViewProps) {
  const path = { account_id };
  const type = account?.account_type ?? 'organization';
  const isLogin = type === 'service';
  return (
    <>
      <p class="lead">{leads[type](account_id)}</p>
      {!isLogin && may('listServiceAccounts') && (
        <p class="soft">
          For software that runs by itself,{' '}
          <a href={hrefOf(`/accounts/${account_id}/service-accounts`)}>a service account</a> reaches only what it needs.
          For one data set, make a key of its repository.
        </p>
      )}
      <ApiKeys
        of={account_id}
        isLogin={isLogin}
        reaches={type === 'user' ? 'what you reach' : account_id}
        keys={[account_id]}
        s3Uri={`s3://${account_id}/`}
        may={{ create: may('createAccountApiKey') }}
        load={(cursor) =>
          answerOf(api.GET('/accounts/{account_id}/api-keys', { params: { path, query: pageQuery(cursor) } }))
        }
        create={(body, header) =>
          dataOf(api.POST('/accounts/{account_id}/api-keys', { params: { path, header }, body }))
        }
      />
      {may('listMadeKeys') && (
        <CreatedKeys
          key={query.get('made_by')}
          account_id={account_id}
          isLogin={isLogin}
          madeBy={query.get('made_by')}
        />
      )}
    </>
  );
}

const leads: Readonly<Record<Schemas['AccountType'], (id: string) => string>> = {
  user: () => 'An API key reads and writes data as you, from any S3 client, until it expires or you end it.',
  organization: (id) =>
    `An API key of ${id} reads and writes the data of all its repositories, until it expires or somebody ends it.`,
  service: (id) =>
    `${id} is a login of the platform, for software of whoever runs this site. Its keys reach what it owns and what everybody reads, until they expire or an administrator ends them.`,
};
