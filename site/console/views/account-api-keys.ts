import { html } from 'htm/preact';
import { answerOf, api, dataOf, type Schemas } from '../api/client.ts';
import { ApiKeys } from '../machines/api-keys.ts';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';

/** The API keys of a person or an organization. */
export function View({ account: { account_id, account, may } }: AccountViewProps) {
  const path = { account_id };
  const isPerson = account?.account_type === 'user';
  return html`<p class="lead">${
    isPerson
      ? 'An API key reads and writes data as you, from any S3 client, until it expires or you end it.'
      : `An API key of ${account_id} reads and writes the data of all its repositories, until it expires or somebody ends it.`
  }</p>
    ${may('listServiceAccounts') && html`<p class="soft">For software that runs by itself, <a href=${hrefOf(`/accounts/${account_id}/service-accounts`)}>a service account</a> reaches only what it needs. For one data set, make a key of its repository.</p>`}
    <${ApiKeys} of=${account_id} reaches=${isPerson ? 'what you reach' : account_id} keys=${[account_id]} s3Uri=${`s3://${account_id}/`} may=${{ create: may('createAccountApiKey') }}
      load=${(cursor: string | undefined) => answerOf(api.GET('/accounts/{account_id}/api-keys', { params: { path, query: { limit: 100, ...(cursor && { cursor }) } } }))}
      create=${(body: Schemas['ApiKeyRequest'], header: { 'Idempotency-Key': string }) => dataOf(api.POST('/accounts/{account_id}/api-keys', { params: { path, header }, body }))} />`;
}
