import { formatDay, formatMinute } from '../../../lib/pages/site/format.ts';
import { accountPath, repositoryPath } from '../../../lib/pages/site/links.ts';
import { CopyButton } from '../components/copy.tsx';
import { Properties } from '../components/list.tsx';
import { Activity, Inventory, Machines, People, Readme } from '../overview/blocks.tsx';
import { hrefOf } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import { mayWrite, user } from '../signed-in-user.ts';
import { dataModeLabels, describeCatalogueState, modeTerm, stateTerm } from './data-modes.ts';

/** Shows a repository's metadata, and the URLs under which software finds its data. */
export function View({ repository: scope }: RepositoryViewProps) {
  const { account_id, account_name, repository_id, repository, data, may } = scope;
  const { meta, data_mode, disabled, published, updated, delete_at } = repository;
  const isPublic = data_mode === 'open' && !disabled;
  const signedIn = user.value;
  const isWriter = signedIn.kind === 'ready' && mayWrite(signedIn.value, { account_id, repository_id });
  const page = repositoryPath({ account_id, repository_id });
  return (
    <>
      {disabled && <p class="notice">This repository is disabled: nobody can read or write its data.</p>}
      {delete_at && (
        <p class="notice">
          It will be deleted with its versions on {formatMinute(Date.parse(delete_at))}. Until then, its owners can take
          this back under Settings.
        </p>
      )}
      {meta.description && <p class="lead">{meta.description}</p>}
      {!disabled && isWriter && (
        <p>
          <a class="button" href={hrefOf(`/repositories/${account_id}/${repository_id}/files`)}>
            Upload files
          </a>
        </p>
      )}
      {!disabled && (
        <div class="columns">
          <div>
            <Readme scope={scope} isWriter={isWriter} />
          </div>
          <aside>
            {may('getInventory') && <Inventory scope={scope} />}
            {may('listRepositoryMembers') && <People scope={scope} />}
            {may('getRepositorySettings') && <Machines scope={scope} />}
            <Activity scope={scope} />
          </aside>
        </div>
      )}
      <Properties
        rows={[
          [modeTerm, `${dataModeLabels[data_mode].name}: ${dataModeLabels[data_mode].hint}`],
          [stateTerm, describeCatalogueState(repository)],
          [
            'Page',
            isPublic ? (
              <>
                <a href={page}>{location.host + page}</a> <CopyButton text={location.origin + page} label="the link" />
              </>
            ) : disabled ? (
              'Not visible while the repository is disabled.'
            ) : (
              'None: only open repositories have a page.'
            ),
          ],
          ['For S3 tools', <CopiedCode text={data.s3_uri} label="the S3 URI" />],
          ['Over HTTP', <CopiedCode text={data.url} label="the URL of the data" />],
          meta.license ? ['License', meta.license] : false,
          [
            'Account',
            <>
              <a href={accountPath(account_id)}>{account_name}</a>{' '}
              {account_name !== account_id && <span class="soft">{account_id}</span>}
            </>,
          ],
          ['Created', formatDay(published)],
          updated ? ['Updated', formatDay(updated)] : false,
        ]}
      />
    </>
  );
}

function CopiedCode({ text, label }: { text: string; label: string }) {
  return (
    <>
      <code>{text}</code> <CopyButton text={text} label={label} />
    </>
  );
}
