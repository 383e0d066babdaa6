import { html } from 'htm/preact';
import { answerOf, api } from '../api/client.ts';
import { Loaded, type Loading, useLoading } from '../components/loaded.ts';
import { hrefOf } from '../router.ts';

interface Steps {
  repository: { account_id: string; repository_id: string } | undefined;
}

/** From the sign-in to the first published file, until there is a repository. */
export function FirstSteps({ accountId, organizations }: { accountId: string; organizations: readonly string[] }) {
  const accounts = [accountId, ...organizations.slice(0, 4)];
  const loading: Loading<Steps> = useLoading(async () => ({ repository: await firstRepository(accounts) }), accounts);
  return html`<${Loaded} loading=${loading}>${({ repository }: Steps) => {
    if (repository !== undefined) return null;
    return html`<section class="block"><h2>Publish your first file</h2><ol class="steps">
      <li class="done">Sign in</li>
      <li class="done">Choose your account</li>
      <li><a href=${hrefOf(`/accounts/${accountId}/new-repository`)}>Make a repository</a>: the place of one data set, with a title and a description</li>
      <li>Put files into it: drag them there</li>
      <li>List it, so that everybody finds it, or send its link</li>
    </ol></section>`;
  }}<//>`;
}

async function firstRepository(accounts: readonly string[]): Promise<Steps['repository']> {
  for (const account_id of accounts) {
    const params = { path: { account_id }, query: { limit: 1 } };
    const { data } = await answerOf(api.GET('/repositories/{account_id}', { params }));
    if (data[0] !== undefined) return data[0];
  }
  return undefined;
}
