import { render } from 'preact';
import { limits } from '../../lib/domain/limits.ts';
import { configurationElementId, type DataPageConfiguration } from '../../lib/pages/site/console-configuration.ts';
import { consoleRepositoryPath, type ShownPath, shownPathOf } from '../../lib/pages/site/links.ts';
import { Crumbs } from '../../lib/pages/site/repository-tile.tsx';
import { answerOf, api, dataOf } from '../console/api/client.ts';
import { type Problem, problemOf } from '../console/api/problem.ts';
import { isSignedIn } from '../console/sign-in/session.ts';
import { CredentialSource, requestCredentials } from '../data/credentials.ts';
import { DataError } from '../data/data-error.ts';
import { createDataSource, type DataSource } from '../data/data-source.ts';
import { DataPages } from '../data-pages/data-pages.tsx';
import { Mark } from './mark.tsx';
import { readRepositoryPage } from './repository-page.tsx';
import { signInPath } from './sign-in-path.ts';

/** When the user returns to the tab after this time, the page checks the user's rights again. */
const rightsCheckedAfterMs = 60_000;

/**
 * Shows the page of a repository, if the signed-in user may read it. Shows the page for missing data to other users.
 */
export async function showMemberPage(main: HTMLElement, shown: ShownPath, showMissing: () => void): Promise<void> {
  try {
    const loaded = await loadRepository(shown);
    new MemberPage(main, loaded).open(shown);
  } catch (error) {
    showMissing();
    explain(main, problemOf(error));
  }
}

type RepositoryPath = Pick<ShownPath, 'account_id' | 'repository_id'>;
type Loaded = Awaited<ReturnType<typeof loadRepository>>;

async function loadRepository({ account_id, repository_id }: RepositoryPath) {
  const path = { account_id, repository_id };
  const query = { limit: limits.versionsInSelectorMax };
  const [overview, versions, inventory] = await Promise.all([
    dataOf(api.GET('/repositories/{account_id}/{repository_id}/overview', { params: { path } })),
    dataOf(api.GET('/repositories/{account_id}/{repository_id}/versions', { params: { path, query } })),
    // Ignore a failed request for the inventory, because the page can be shown without it.
    dataOf(api.GET('/repositories/{account_id}/{repository_id}/inventory', { params: { path } })).catch(
      () => undefined,
    ),
  ]);
  return { ...overview, versions, inventory };
}

/**
 * Explains on the page for missing data why a signed-in user cannot read the repository. Removes the sign-in link,
 * because another sign-in would not help.
 */
function explain(main: HTMLElement, { status, message }: Problem): void {
  if (!isSignedIn.value) return;
  main.querySelector('[data-sign-in]')?.remove();
  const hint = main.querySelector<HTMLElement>('[data-hint]');
  if (hint === null) return;
  const isRefused = status === 403 || status === 404;
  hint.textContent = isRefused
    ? 'You are signed in, but no repository with this URL is shared with you. Check the URL, or ask its owner for access.'
    : message;
  hint.setAttribute('role', 'status');
}

class MemberPage {
  readonly #main: HTMLElement;
  readonly #loaded: Loaded;
  readonly #configuration: DataPageConfiguration;
  readonly #credentials: CredentialSource;
  readonly #ending = new AbortController();
  readonly #sources = new Map<string | undefined, DataSource>();
  #pages: DataPages | undefined;
  #checkedAt = Date.now();

  constructor(main: HTMLElement, loaded: Loaded) {
    this.#main = main;
    this.#loaded = loaded;
    this.#configuration = JSON.parse(document.getElementById(configurationElementId)?.textContent ?? '{}');
    const location = pathOf(loaded);
    this.#credentials = new CredentialSource(() => requestCredentials({ api, location, role: 'ReadOnly' }));
  }

  open(shown: ShownPath): void {
    const { repository, account, permissions, versions, inventory } = this.#loaded;
    const { site_name: name, site_url: url, data_url: dataProxyUrl, worker_url: workerUrl } = this.#configuration;
    const path = pathOf(this.#loaded);
    const isManager = permissions.includes('updateRepository');
    const site = { name, url };
    const content = { site, account, repository, versions, inventory, dataProxyUrl, findVersion: findVersion(path) };
    this.#pages = new DataPages({
      root: this.#main,
      siteName: name,
      sourceOf: (version) => this.#sourceOf(version),
      workerUrl,
      mark: <Mark dataMode={repository.data_mode} manageUrl={isManager ? consoleRepositoryPath(path) : undefined} />,
      crumbs: <Crumbs repository={repository} />,
      shownAt: (at) => {
        const shownThere = shownPathOf(at);
        const isOwn = shownThere?.account_id === path.account_id && shownThere.repository_id === path.repository_id;
        return isOwn ? shownThere : undefined;
      },
      read: (shownThere, source) => readRepositoryPage(content, shownThere, source),
      onEnd: ({ kind }) => this.#end(kind === 'signed_out' ? 'signed_out' : 'refused'),
    });
    const { signal } = this.#ending;
    const unsubscribe = isSignedIn.subscribe((isHere) => !isHere && this.#end('signed_out'));
    signal.addEventListener('abort', unsubscribe);
    document.addEventListener('visibilitychange', () => void this.#checkRights(), { signal });
    // After Back, the browser may show a cached copy of this page, even after a sign-out. Reload such a copy.
    addEventListener('pageshow', ({ persisted }) => persisted && location.reload(), { signal });
    void this.#pages.show(shown);
  }

  #sourceOf(version: string | undefined): DataSource {
    const { account_id, repository_id } = pathOf(this.#loaded);
    const segment = version === undefined ? repository_id : `${repository_id}@${version}`;
    const source =
      this.#sources.get(version) ??
      createDataSource({
        dataUrl: this.#configuration.data_url,
        location: { account_id, repository_id: segment },
        credentials: this.#credentials,
        signal: this.#ending.signal,
      });
    this.#sources.set(version, source);
    return source;
  }

  async #checkRights(): Promise<void> {
    if (document.hidden || Date.now() - this.#checkedAt < rightsCheckedAfterMs) return;
    this.#checkedAt = Date.now();
    try {
      await loadRepository(pathOf(this.#loaded));
    } catch (error) {
      const { status } = problemOf(error);
      if (status === 401) this.#end('signed_out');
      if (status === 403 || status === 404) this.#end('refused');
    }
  }

  /** Removes the content and the credentials, and shows the reason. */
  #end(reason: 'signed_out' | 'refused'): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort(new DataError(reason, ''));
    this.#credentials.forget();
    this.#pages?.close();
    const title = reason === 'signed_out' ? 'You are signed out' : 'You can no longer read this repository';
    const body =
      reason === 'signed_out' ? (
        <p>The page removed its private content. Sign in again to continue.</p>
      ) : (
        <p>Your access has ended, or the repository was deleted or disabled. Ask an owner of the account for access.</p>
      );
    render(
      <section class="hero">
        <h1 tabindex={-1}>{title}</h1>
        {body}
        <p class="actions">
          {reason === 'signed_out' && (
            <a class="button" href={signInPath()}>
              Sign in
            </a>
          )}
          <a class={reason === 'signed_out' ? undefined : 'button'} href="/">
            Go to the front page
          </a>
        </p>
      </section>,
      this.#main,
    );
    document.title = `${title} · ${this.#configuration.site_name}`;
    this.#main.querySelector('h1')?.focus();
  }
}

function pathOf({ repository: { account_id, repository_id } }: Loaded): RepositoryPath {
  return { account_id, repository_id };
}

function findVersion(path: RepositoryPath) {
  return async (version_name: string) => {
    const params = { path: { ...path, version_name } };
    const found = api.GET('/repositories/{account_id}/{repository_id}/versions/{version_name}', { params });
    return (await answerOf(found).catch(() => undefined))?.data;
  };
}
