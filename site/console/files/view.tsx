import { api } from '../api/client.ts';
import { configuration } from '../configuration.ts';
import { hrefOf } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import { mayWrite, user } from '../signed-in-user.ts';
import { FilesRoute } from './files-route.tsx';

/** Shows the files of a repository to the signed-in user. */
export function View({ repository: { account_id, repository_id, repository, may }, query }: RepositoryViewProps) {
  const state = user.value;
  if (state.kind !== 'ready' || state.value.account === null) return null;
  // If not all memberships are loaded, the role for this repository may be on a later page. Therefore assume that the
  // user may write.
  const isWriter = state.value.next !== undefined || mayWrite(state.value, { account_id, repository_id });
  const below = `/repositories/${encodeURIComponent(account_id)}/${encodeURIComponent(repository_id)}/files`;
  const folder = query.get('path') ?? '';
  return (
    <FilesRoute
      location={{ account_id, repository_id }}
      folder={folder === '' || folder.endsWith('/') ? folder : `${folder}/`}
      owner={state.value.account.account_id}
      isWriter={isWriter}
      mayShare={may('createLink') && repository.data_mode !== 'open' && !repository.disabled}
      api={api}
      dataUrl={configuration.data_url}
      isOpen={repository.data_mode === 'open' && !repository.disabled}
      hrefOf={(path) =>
        hrefOf(`${below}${path === '' ? '' : `?${new URLSearchParams({ path })}`.replaceAll('%2F', '/')}`)
      }
    />
  );
}
