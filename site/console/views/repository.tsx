import { formatDay } from '../../../lib/pages/site/format.ts';
import { accountPath, repositoryPath } from '../../../lib/pages/site/links.ts';
import { CopyButton } from '../components/copy.tsx';
import { mayWrite, person } from '../person.ts';
import { hrefOf } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import { dataModeLabels, describeCatalogueState, modeTerm, stateTerm } from './data-modes.ts';

/** Shows a repository's metadata and the locations of its data. */
export function View({
  repository: { account_id, account_name, repository_id, repository, data },
}: RepositoryViewProps) {
  const { meta, data_mode, disabled, published, updated } = repository;
  const isPublic = data_mode === 'open' && !disabled;
  const signedIn = person.value;
  const isWriter = signedIn.kind === 'ready' && mayWrite(signedIn.value, { account_id, repository_id });
  const page = repositoryPath({ account_id, repository_id });
  return (
    <>
      {disabled && <p class="notice">This repository is disabled: nobody reads or writes its data.</p>}
      {meta.description && <p class="lead">{meta.description}</p>}
      {!disabled && isWriter && (
        <p>
          <a class="button" href={hrefOf(`/repositories/${account_id}/${repository_id}/files`)}>
            Upload files
          </a>
        </p>
      )}
      <dl class="facts wide">
        <div>
          <dt>{modeTerm}</dt>
          <dd>
            {dataModeLabels[data_mode].name}: {dataModeLabels[data_mode].hint}
          </dd>
        </div>
        <div>
          <dt>{stateTerm}</dt>
          <dd>{describeCatalogueState(repository)}</dd>
        </div>
        <div>
          <dt>Page</dt>
          <dd>
            {isPublic ? (
              <>
                <a href={page}>
                  {location.host}
                  {page}
                </a>{' '}
                <CopyButton text={location.origin + page} label="the link" />
              </>
            ) : disabled ? (
              'Nobody sees its page while it is disabled.'
            ) : (
              'None: only what is open has a page.'
            )}
          </dd>
        </div>
        <div>
          <dt>For S3 tools</dt>
          <dd>
            <code>{data.s3_uri}</code> <CopyButton text={data.s3_uri} label="the S3 URI" />
          </dd>
        </div>
        <div>
          <dt>Over HTTP</dt>
          <dd>
            <code>{data.url}</code> <CopyButton text={data.url} label="the URL of the data" />
          </dd>
        </div>
        {meta.license && (
          <div>
            <dt>Licence</dt>
            <dd>{meta.license}</dd>
          </div>
        )}
        <div>
          <dt>Account</dt>
          <dd>
            <a href={accountPath(account_id)}>{account_name}</a>
            {account_name !== account_id && (
              <>
                {' '}
                <span class="soft">{account_id}</span>
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Made</dt>
          <dd>{formatDay(published)}</dd>
        </div>
        {updated && (
          <div>
            <dt>Updated</dt>
            <dd>{formatDay(updated)}</dd>
          </div>
        )}
      </dl>
    </>
  );
}
