import { Loaded, type Loading } from '../components/loaded.tsx';
import { hrefOf } from '../router.ts';
import type { Usage } from './usage.ts';

interface RepositoriesOnProps {
  usage: Loading<Usage>;
  id: string;
}

/** Lists the repositories that a connection stores. */
export function RepositoriesOn({ usage, id }: RepositoriesOnProps) {
  return (
    <Loaded loading={usage}>
      {({ repositoriesOn, isCut }) => {
        const repositories = repositoriesOn(id);
        return (
          <>
            {repositories.length === 0 && <p class="soft">No repository is on this storage.</p>}
            {repositories.length > 0 && (
              <ul>
                {repositories.map(({ account_id, repository_id, meta, disabled }) => (
                  <li key={repository_id}>
                    <a href={hrefOf(`/repositories/${account_id}/${repository_id}`)}>{meta.title || repository_id}</a>{' '}
                    <span class="soft">
                      {repository_id}
                      {disabled && ', disabled'}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            {isCut && <p class="soft">The account has more repositories than this page reads.</p>}
          </>
        );
      }}
    </Loaded>
  );
}

/** Links to the form that creates a repository on this connection. */
export function CreateRepository({ account_id, id, isFirst }: { account_id: string; id: string; isFirst?: boolean }) {
  return (
    <p>
      <a
        class={isFirst ? 'button' : 'button second'}
        href={hrefOf(`/accounts/${account_id}/new-repository?storage=${id}`)}
      >
        Create repository
      </a>
    </p>
  );
}
