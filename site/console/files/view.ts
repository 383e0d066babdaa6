import { html } from 'htm/preact';
import { api } from '../api/client.ts';
import { configuration } from '../configuration.ts';
import { person } from '../person.ts';
import { hrefOf } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import { FilesRoute } from './files-route.ts';

/** The files of a repository, for the person who is signed in. */
export function View({ repository: { account_id, repository_id, repository }, query }: RepositoryViewProps) {
  const state = person.value;
  const own = state.kind === 'ready' ? state.value.account?.account_id : undefined;
  if (own === undefined) return null;
  const below = `/repositories/${encodeURIComponent(account_id)}/${encodeURIComponent(repository_id)}/files`;
  const folder = query.get('path') ?? '';
  return html`<${FilesRoute}
    place=${{ account_id, repository_id }}
    folder=${folder === '' || folder.endsWith('/') ? folder : `${folder}/`}
    owner=${own}
    api=${api}
    dataUrl=${configuration.data_url}
    isOpen=${repository.data_mode === 'open' && !repository.disabled}
    hrefOf=${(path: string) => hrefOf(`${below}${path === '' ? '' : `?${new URLSearchParams({ path })}`.replaceAll('%2F', '/')}`)}
  />`;
}
