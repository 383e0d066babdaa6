import { type ComponentChildren, render } from 'preact';
import { ContentElements } from '../../lib/pages/site/file-content.tsx';
import type { ShownPath } from '../../lib/pages/site/links.ts';
import { scriptedFormatOf } from '../../lib/pages/site/previews/scripted.ts';
import { StacViewer } from '../../lib/pages/site/previews/stac.ts';
import { type DataError, isDataError } from '../data/data-error.ts';
import type { DataSource } from '../data/data-source.ts';
import { enhanceContent } from '../page/content.ts';
import { createElements, messageOf } from './elements.tsx';

export interface DataPagesOptions {
  /** The page element whose content is replaced. */
  root: HTMLElement;
  siteName: string;
  /** Returns the data source of the newest files or, with a version's name, of that version. */
  sourceOf: (version: string | undefined) => DataSource;
  /** The URL of the worker script that reads files for previews. */
  workerUrl: string;
  /** A line above each page that says who can read it. */
  mark: ComponentChildren;
  /** The breadcrumbs of a page that could not be loaded. */
  crumbs: ComponentChildren;
  /**
   * Returns the repository, version, and path at a URL. Returns undefined for another URL, which the browser opens
   * itself.
   */
  shownAt: (url: URL) => ShownPath | undefined;
  /** Reads and renders the content of a path. */
  read: (shown: ShownPath, source: DataSource) => Promise<DataPage>;
  onEnd: (error: DataError) => void;
}

export interface DataPage {
  title: string;
  body: ComponentChildren;
}

/**
 * Renders the pages of a repository, its folders, and its files in the browser. It reads the files from a `DataSource`,
 * so the caller decides which credentials it uses:
 *
 *     const pages = new DataPages({ root, sourceOf, shownAt, read, … });
 *     await pages.show(path);   // renders what the URL shows, and from then on follows links, Back, and Forward
 *     pages.close();            // removes the content, and ends the worker and the images
 *
 * `onEnd` is called once, when the session has ended or the access was removed. The content is then already removed, and
 * the caller shows a message. Other errors appear in the page, with a button that tries again.
 */
export class DataPages {
  readonly #options: DataPagesOptions;
  readonly #listening = new AbortController();
  #shown: ShownPath | undefined;
  /** The number of the latest `show` call. If an earlier call finishes loading later, its page is not shown. */
  #turn = 0;

  constructor(options: DataPagesOptions) {
    this.#options = options;
    const { signal } = this.#listening;
    options.root.addEventListener('click', (event) => this.#follow(event), { signal });
    addEventListener('popstate', ({ state }) => this.#return(state), { signal });
    history.scrollRestoration = 'manual';
  }

  close(): void {
    this.#listening.abort();
    history.scrollRestoration = 'auto';
    render(null, this.#options.root);
    this.#options.root.replaceChildren();
    this.#options.root.removeAttribute('aria-busy');
  }

  /** Shows the content of a path. Never rejects. */
  async show(shown: ShownPath, scrollY = 0): Promise<void> {
    const { root, mark, siteName } = this.#options;
    const turn = ++this.#turn;
    const isFirst = this.#shown === undefined;
    this.#shown = shown;
    root.setAttribute('aria-busy', 'true');
    const [page, stac] = await Promise.all([this.#pageOf(shown), loadStacView(shown.path)]);
    if (this.#listening.signal.aborted || turn !== this.#turn) return;
    const source = this.#options.sourceOf(shown.version);
    const elements = createElements({ source, workerUrl: this.#options.workerUrl, endsWith: (e) => this.#endsWith(e) });
    // Render into an empty element, because scripts that improve a page may have changed its elements.
    render(null, root);
    root.replaceChildren();
    const content = (
      <ContentElements.Provider value={elements}>
        <StacViewer.Provider value={stac?.StacView}>
          {mark}
          {page.body}
        </StacViewer.Provider>
      </ContentElements.Provider>
    );
    render(content, root);
    enhanceContent(root);
    root.removeAttribute('aria-busy');
    document.title = `${page.title} · ${siteName}`;
    this.#moveTo(scrollY, isFirst);
  }

  /**
   * Moves the focus to the heading, so that screen readers announce it. After the first load, the focus moves only if
   * no element has it.
   */
  #moveTo(scrollY: number, isFirst: boolean): void {
    const heading = this.#options.root.querySelector<HTMLElement>('h1');
    heading?.setAttribute('tabindex', '-1');
    if (!isFirst || document.activeElement === document.body) heading?.focus({ preventScroll: true });
    if (!isFirst) scrollTo(0, scrollY);
    // The browser looked for the fragment's target before the page had content. Let it look again.
    else if (location.hash !== '') location.replace(location.hash);
  }

  async #pageOf(shown: ShownPath): Promise<DataPage> {
    const { read, sourceOf } = this.#options;
    try {
      return await read(shown, sourceOf(shown.version));
    } catch (error) {
      this.#endsWith(error);
      return this.#failed(shown, messageOf(error));
    }
  }

  /** Ends the pages if the error means a lost session or lost access. Returns false for any other error. */
  #endsWith(error: unknown): boolean {
    if (this.#listening.signal.aborted) return true;
    if (!isDataError(error, 'refused', 'signed_out')) return false;
    this.close();
    this.#options.onEnd(error);
    return true;
  }

  #failed(shown: ShownPath, message: string): DataPage {
    const title = 'Page not available';
    const body = (
      <>
        {this.#options.crumbs}
        <section class="hero">
          <h1>{title}</h1>
          <p role="alert">{message}</p>
          <p class="actions">
            <button type="button" class="button" onClick={() => void this.show(shown)}>
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
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin) return;
    const isHere = url.pathname === location.pathname && url.search === location.search;
    if (isHere && url.hash !== '') return;
    const shown = this.#options.shownAt(url);
    if (shown === undefined) return;
    event.preventDefault();
    history.replaceState({ scrollY }, '');
    history.pushState({}, '', url);
    void this.show(shown);
  }

  #return(state: unknown): void {
    const shown = this.#options.shownAt(new URL(location.href));
    if (shown === undefined) {
      location.reload();
      return;
    }
    if (JSON.stringify(shown) === JSON.stringify(this.#shown)) return;
    const { scrollY: known } = Object(state) as { scrollY?: unknown };
    void this.show(shown, typeof known === 'number' ? known : 0);
  }
}

/**
 * Loads the code that shows STAC files, if the path can be a STAC file. If loading fails, the page shows the file's
 * text.
 */
function loadStacView(path: string) {
  if (scriptedFormatOf(path) !== 'stac') return undefined;
  return import('../../lib/pages/site/previews/stac-view.tsx').catch(() => undefined);
}
