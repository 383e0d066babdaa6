import { type ComponentChildren, render } from 'preact';
import type { FolderPage } from '../../lib/domain/data/open-data.ts';
import type { RepositoryVersion } from '../../lib/domain/data/repository-versions.ts';
import { AbsentBody, absentTitle } from '../../lib/pages/site/absent.tsx';
import { FileBody, fileTitle } from '../../lib/pages/site/file.tsx';
import { ContentElements } from '../../lib/pages/site/file-content.tsx';
import { consoleRepositoryPath, repositoryPath, type ShownPath, shownPathOf } from '../../lib/pages/site/links.ts';
import { previewKindOf } from '../../lib/pages/site/previews/kinds.tsx';
import { StacViewer } from '../../lib/pages/site/previews/stac.ts';
import { findReadme, readmeBytesMax } from '../../lib/pages/site/readme.ts';
import { RepositoryBody, type RepositoryView, repositoryTitle } from '../../lib/pages/site/repository.tsx';
import { Crumbs, type ShownRepository } from '../../lib/pages/site/repository-tile.tsx';
import { type DataError, isDataError } from '../data/data-error.ts';
import { type DataSource, readBeginning } from '../data/data-source.ts';
import { enhanceContent } from '../page/content.ts';
import { createElements, messageOf } from './elements.tsx';

/**
 * Renders the pages of a repository, its folders, and its files in the browser, with the components of the public
 * pages. It reads the files from a `DataSource`, so the caller decides which credentials it uses:
 *
 *     const pages = openDataPages({ root, source, repository, … });
 *     await pages.show(path);   // renders what the URL shows, and from then on follows links, Back, and Forward
 *     pages.close();            // removes the content, and ends the worker and the images
 *
 * `onEnd` is called once, when the session has ended or the access was removed. The content is then already removed, and
 * the caller shows a message. Other errors appear in the page, with a button that tries again.
 */
export function openDataPages(options: DataPagesOptions): DataPages {
  return new OpenDataPages(options);
}

export interface DataPages {
  /** Shows the content of a path. Never rejects. */
  show(shown: ShownPath): Promise<void>;
  close(): void;
}

type Content = Pick<RepositoryView, 'account' | 'site' | 'versions' | 'inventory'>;

export interface DataPagesOptions extends Content {
  /** The element in which the pages are rendered. */
  root: HTMLElement;
  /** Returns the source of the files. Called for each state that the pages show: the newest one, or that of a version. */
  sourceOf: (version: string | undefined) => DataSource;
  repository: ShownRepository;
  dataUrl: string;
  /** The URL of the worker script that reads files for previews. */
  workerUrl: string;
  /** A line above each page. It says who can read the page. */
  mark: ComponentChildren;
  /** Finds a version that is not among the newest ones. By default, there are no other versions. */
  findVersion?: (name: string) => Promise<RepositoryVersion | undefined>;
  /** Convert a URL to the path that it shows, and back. The default is the URLs of the repository's public pages. */
  shownAt?: (url: URL) => ShownPath | undefined;
  urlOf?: (shown: ShownPath) => string;
  onEnd: (error: DataError) => void;
}

interface Page {
  title: string;
  body: ComponentChildren;
}

class OpenDataPages implements DataPages {
  readonly #options: DataPagesOptions;
  readonly #listening = new AbortController();
  #shown: ShownPath | undefined;
  /** The number of the latest page that was requested. A page that loads slower than a later one is not shown. */
  #turn = 0;
  #isClosed = false;

  constructor(options: DataPagesOptions) {
    this.#options = options;
    const { signal } = this.#listening;
    options.root.addEventListener('click', (event) => this.#follow(event), { signal });
    addEventListener('popstate', ({ state }) => this.#return(state), { signal });
    history.scrollRestoration = 'manual';
  }

  async show(shown: ShownPath): Promise<void> {
    await this.#load(shown);
  }

  close(): void {
    this.#isClosed = true;
    this.#listening.abort();
    history.scrollRestoration = 'auto';
    render(null, this.#options.root);
    this.#options.root.replaceChildren();
    this.#options.root.removeAttribute('aria-busy');
  }

  async #load(shown: ShownPath, scrollY = 0): Promise<void> {
    const { root, mark, site } = this.#options;
    const turn = ++this.#turn;
    const isFirst = this.#shown === undefined;
    this.#shown = shown;
    root.setAttribute('aria-busy', 'true');
    const page = await this.#pageOf(shown);
    if (this.#isClosed || turn !== this.#turn) return;
    const source = this.#options.sourceOf(shown.version);
    const elements = createElements({ source, workerUrl: this.#options.workerUrl, endsWith: (e) => this.#endsWith(e) });
    // Render into an empty element, because scripts that improve a page may have changed its elements.
    render(null, root);
    root.replaceChildren();
    const content = (
      <ContentElements.Provider value={elements}>
        {mark}
        {page.body}
      </ContentElements.Provider>
    );
    render(content, root);
    enhanceContent(root);
    root.removeAttribute('aria-busy');
    document.title = `${page.title} · ${site.name}`;
    this.#moveTo(scrollY, isFirst);
  }

  /**
   * Moves the focus to the heading, which screen readers then announce. For the first page, does not move the focus if
   * the user has already focused an element.
   */
  #moveTo(scrollY: number, isFirst: boolean): void {
    const heading = this.#options.root.querySelector<HTMLElement>('h1');
    heading?.setAttribute('tabindex', '-1');
    if (!isFirst || document.activeElement === document.body) heading?.focus({ preventScroll: true });
    if (!isFirst) scrollTo(0, scrollY);
    // The browser searched for the fragment's target before the page had content. Navigate to it again.
    else if (location.hash !== '') location.replace(location.hash);
  }

  async #pageOf(shown: ShownPath): Promise<Page> {
    try {
      return await this.#read(shown);
    } catch (error) {
      this.#endsWith(error);
      return this.#failed(shown, messageOf(error));
    }
  }

  /** Ends the pages if the error concerns all of their content. */
  #endsWith(error: unknown): boolean {
    if (this.#isClosed) return true;
    if (!isDataError(error, 'refused', 'signed_out')) return false;
    this.close();
    this.#options.onEnd(error);
    return true;
  }

  async #read(shown: ShownPath): Promise<Page> {
    const { versions, account, site, inventory, dataUrl: dataProxyUrl } = this.#options;
    const { path, version, cursor } = shown;
    const shownVersion = version === undefined ? undefined : await this.#findVersion(version);
    if (version !== undefined && shownVersion?.state !== 'ready') return this.#absentVersion(version);
    const repository = { ...this.#options.repository, shownVersion };
    const source = this.#options.sourceOf(version);
    const isFile = path !== '' && !path.endsWith('/');
    const file = isFile ? await this.#readFile(repository, path, source) : undefined;
    if (file !== undefined) return file;
    // A URL without the final slash of its folder shows this folder.
    const folder = isFile ? `${path}/` : path;
    const page = await source.list(folder, cursor);
    if (path !== '' && cursor === undefined && isNothing(page)) return absent(repository, path);
    const readme = cursor === undefined ? await readReadme(source, folder, page) : undefined;
    const isFirst = cursor === undefined;
    const shownFolder = { folder, page, isFirst, readme };
    const view = { site, account, repository, versions, inventory, dataProxyUrl, ...shownFolder };
    return { title: repositoryTitle(view), body: <RepositoryBody {...view} /> };
  }

  async #findVersion(version: string): Promise<RepositoryVersion | undefined> {
    const { versions, findVersion } = this.#options;
    return versions.find(({ name }) => name === version) ?? findVersion?.(version);
  }

  async #readFile(repository: ShownRepository, key: string, source: DataSource): Promise<Page | undefined> {
    const { versions, dataUrl: dataProxyUrl } = this.#options;
    const { bytesRead = 0 } = previewKindOf(key, 0) ?? {};
    const [metadata, beginning, stac] = await Promise.all([
      source.find(key),
      bytesRead === 0 ? undefined : readBeginning(source, key, bytesRead),
      /\.json$/i.test(key) ? import('../../lib/pages/site/previews/stac-view.tsx') : undefined,
    ]);
    if (metadata === undefined) return undefined;
    const view = { repository, versions, dataProxyUrl, key, metadata, beginning };
    const body = (
      <StacViewer.Provider value={stac?.StacView}>
        <FileBody {...view} />
      </StacViewer.Provider>
    );
    return { title: fileTitle(view), body };
  }

  #absentVersion(name: string): Page {
    const { repository } = this.#options;
    const title = 'Version not found';
    const body = (
      <>
        <Crumbs repository={repository} />
        <section class="hero">
          <h1>{title}</h1>
          <p>The repository has no version {name} that can be read. It may be withdrawn.</p>
          <p class="actions">
            <a class="button" href={repositoryPath(repository)}>
              Go to the newest state
            </a>
            <a href={`${consoleRepositoryPath(repository)}/versions`}>See all versions</a>
          </p>
        </section>
      </>
    );
    return { title, body };
  }

  #failed(shown: ShownPath, message: string): Page {
    const title = 'Page not available';
    const body = (
      <>
        <Crumbs repository={this.#options.repository} />
        <section class="hero">
          <h1>{title}</h1>
          <p role="alert">{message}</p>
          <p class="actions">
            <button type="button" class="button" onClick={() => void this.#load(shown)}>
              Try again
            </button>
          </p>
        </section>
      </>
    );
    return { title, body };
  }

  /** Follows a link to another page of the repository without loading a document. */
  #follow(event: MouseEvent): void {
    const { shownAt = shownPathOf, urlOf } = this.#options;
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin) return;
    const isHere = url.pathname === location.pathname && url.search === location.search;
    if (isHere && url.hash !== '') return;
    const shown = shownAt(url);
    if (shown === undefined || !this.#isOwn(shown)) return;
    event.preventDefault();
    history.replaceState({ scrollY }, '');
    history.pushState({}, '', urlOf?.(shown) ?? url);
    void this.#load(shown);
  }

  #return(state: unknown): void {
    const { shownAt = shownPathOf } = this.#options;
    const shown = shownAt(new URL(location.href));
    if (shown === undefined || !this.#isOwn(shown)) {
      location.reload();
      return;
    }
    if (JSON.stringify(shown) === JSON.stringify(this.#shown)) return;
    const { scrollY: known } = Object(state) as { scrollY?: unknown };
    void this.#load(shown, typeof known === 'number' ? known : 0);
  }

  #isOwn({ account_id, repository_id }: ShownPath): boolean {
    const { repository } = this.#options;
    return account_id === repository.account_id && repository_id === repository.repository_id;
  }
}

function absent(repository: ShownRepository, path: string): Page {
  return { title: absentTitle(path), body: <AbsentBody repository={repository} path={path} /> };
}

function isNothing({ files, folders }: FolderPage): boolean {
  return files.length === 0 && folders.length === 0;
}

async function readReadme(source: DataSource, folder: string, page: FolderPage) {
  const found = findReadme(folder, page.files);
  const bytes = found && (await readBeginning(source, found.key, readmeBytesMax));
  return found && bytes && { key: found.key, text: new TextDecoder().decode(bytes) };
}
