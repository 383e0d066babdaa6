import type { ComponentChildren } from 'preact';
import { repositoryPath } from '../../../lib/pages/site/links.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Loaded, type Loading, useLoading } from '../components/loaded.tsx';
import { configuration } from '../configuration.ts';
import { hrefOf } from '../router.ts';
import { loadRights } from '../scopes.ts';

type Repository = Schemas['Repository'];

/** The user's progress with their first repository. */
interface Steps {
  repository: Repository | undefined;
  hasFiles: boolean;
  isPublished: boolean;
}
/** The repository for the next steps. Undefined if the user has several repositories or may not publish. */
type Progress = Steps | undefined;

interface StepsProps {
  /** The ID of the user's own account. */
  own: string;
  /** The repositories of the user's accounts. */
  repositories: readonly Repository[];
}

/**
 * Shows the steps from sign-in to the first published file, each with a link. Shows nothing when all steps are done.
 */
export function FirstSteps({ own, repositories }: StepsProps) {
  const loading: Loading<Progress> = useLoading(
    () => progressOf(repositories),
    repositories.slice(0, 2).map(({ repository_id }) => repository_id),
  );
  return (
    <Loaded loading={loading}>
      {(progress) => {
        if (progress === undefined) return null;
        const { repository, hasFiles, isPublished } = progress;
        const next = repository && hasFiles && (
          <ConnectCi key={repository.account_id} account_id={repository.account_id} />
        );
        if (isPublished) return next && <section class="block">{next}</section>;
        const path = repository && `/repositories/${repository.account_id}/${repository.repository_id}`;
        return (
          <section class="block">
            <h2>Publish your first file</h2>
            <ol class="steps">
              <Step isDone>Sign in</Step>
              <Step isDone>Create your account</Step>
              <Step
                isDone={repository !== undefined}
                href={`/accounts/${own}/new-repository`}
                action="Create repository"
              >
                <span class="soft">for one data set, with a title, a description and a license</span>
              </Step>
              <Step isDone={hasFiles} href={path && `${path}/files`} action="Upload files">
                <span class="soft">drag and drop them, or choose a folder</span>
              </Step>
              <Step href={hasFiles && path && `${path}/settings/visibility?field=state`} action="List it">
                <span class="soft">
                  in the catalogue, so that everyone can find it
                  {hasFiles && repository && (
                    <>
                      , or share <a href={repositoryPath(repository)}>the link to its page</a>
                    </>
                  )}
                  {hasFiles &&
                    repository?.meta.license === undefined &&
                    '. It has no license yet. Choose one in the settings too, so that others know what they may do with the data'}
                </span>
              </Step>
            </ol>
            {next}
          </section>
        );
      }}
    </Loaded>
  );
}

/** After the first file, suggests a CI job, if the user may create service accounts and has none. */
function ConnectCi({ account_id }: { account_id: string }) {
  const { state } = useLoading(() => mayConnectCi(account_id), [account_id]);
  if (state.value.kind !== 'ready' || !state.value.value) return null;
  return (
    <p>
      <strong>Next, optionally:</strong>{' '}
      <a href={hrefOf(`/accounts/${account_id}/service-accounts`)}>Connect your CI</a>{' '}
      <span class="soft">A job can then publish new files. It needs no secret.</span>
    </p>
  );
}

async function mayConnectCi(account_id: string): Promise<boolean> {
  const { may } = await loadRights(account_id);
  if (!may('createServiceAccount')) return false;
  const params = { path: { account_id }, query: { limit: 1 } };
  return (await dataOf(api.GET('/accounts/{account_id}/service-accounts', { params }))).length === 0;
}

interface StepProps {
  isDone?: boolean;
  /** The path of the step's view. If undefined, the user cannot do the step yet. */
  href?: string | false | undefined;
  action?: string;
  children?: ComponentChildren;
}

function Step({ isDone = false, href, action = '', children }: StepProps) {
  const words =
    href && !isDone ? (
      <a class="button" href={hrefOf(href)}>
        {action}
      </a>
    ) : (
      action
    );
  return (
    <li class={isDone ? 'done' : undefined}>
      {words} {children}
      {isDone && <span class="unseen"> (done)</span>}
    </li>
  );
}

async function progressOf([repository, another]: readonly Repository[]): Promise<Progress> {
  if (another !== undefined) return undefined;
  if (repository === undefined) return { repository, hasFiles: false, isPublished: false };
  if (!(await mayPublish(repository))) return undefined;
  if (repository.state === 'listed') return { repository, hasFiles: true, isPublished: true };
  const hasFiles = await hasAnyFile(repository);
  // A repository that is not open counts as published when it has a file, because its members can then read the file.
  return { repository, hasFiles, isPublished: hasFiles && repository.data_mode !== 'open' };
}

async function mayPublish({ account_id, repository_id, disabled }: Repository): Promise<boolean> {
  const params = { path: { account_id, repository_id } };
  const { permissions } = await dataOf(api.GET('/repositories/{account_id}/{repository_id}/permissions', { params }));
  return !disabled && permissions.includes('updateRepository');
}

/**
 * Returns true when the repository has a file that the user can see. Returns false on errors, so that the step stays
 * open.
 */
async function hasAnyFile({ account_id, repository_id }: Repository): Promise<boolean> {
  const { openRepository } = await import('../files/open-repository.ts');
  const location = { account_id, repository_id };
  const { objects } = openRepository({ api, dataUrl: configuration.data_url, location });
  const { signal } = new AbortController();
  try {
    return (await objects.list({ prefix: '', pageMax: 1 }, signal)).objects.length > 0;
  } catch {
    return false;
  }
}
