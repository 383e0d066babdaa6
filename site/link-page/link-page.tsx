import { type ComponentChildren, render } from 'preact';
import { configurationElementId, type DataPageConfiguration } from '../../lib/pages/site/console-configuration.ts';
import { formatMinute } from '../../lib/pages/site/format.ts';
import { CredentialSource } from '../data/credentials.ts';
import { DataError, isDataError } from '../data/data-error.ts';
import { createDataSource } from '../data/data-source.ts';
import { DataPages } from '../data-pages/data-pages.tsx';
import { messageOf } from '../data-pages/elements.tsx';
import { type Link, type OpenedLink, openLink } from './open-link.ts';
import { LinkTrail, readSharedPage } from './shared-page.tsx';
import { type SharedPart, sharedPartOf, sourceWithin } from './shared-part.ts';

/** When the reader returns to the tab after this time, the page checks the link again. */
const linkCheckedAfterMs = 60_000;

/** Shows the files of a link to private data, or says why the link does not work. */
export async function openLinkPage(main: HTMLElement, link: Link): Promise<void> {
  if (link.secret === '') return showIncomplete(main);
  try {
    new LinkPage(main, link, await openLink(link)).open();
  } catch (error) {
    if (isDataError(error, 'refused')) {
      showMessage(main, 'This link does not work', {
        text: 'It expired, somebody revoked it, or its URL is incomplete. Ask the person who sent it for a new link.',
      });
      return;
    }
    showMessage(main, 'Page not available', {
      text: messageOf(error),
      action: (
        <button type="button" class="button" onClick={() => void openLinkPage(main, link)}>
          Try again
        </button>
      ),
    });
  }
}

function showIncomplete(main: HTMLElement): void {
  showMessage(main, 'Open the complete link', {
    text: 'This URL has no secret, which stands after # in the link that you received. Open that link again.',
  });
}

class LinkPage {
  readonly #main: HTMLElement;
  readonly #link: Link;
  readonly #shared: OpenedLink['shared'];
  readonly #part: SharedPart;
  readonly #credentials: CredentialSource;
  readonly #clockAheadMs: number;
  readonly #configuration = readConfiguration();
  readonly #ending = new AbortController();
  #pages: DataPages | undefined;
  #checkedAt = Date.now();

  constructor(main: HTMLElement, link: Link, { shared, credentials }: OpenedLink) {
    this.#main = main;
    this.#link = link;
    this.#shared = shared;
    this.#part = sharedPartOf(link.id, shared);
    this.#clockAheadMs = credentials.clockAheadMs;
    let given: OpenedLink['credentials'] | undefined = credentials;
    this.#credentials = new CredentialSource(async () => {
      const first = given;
      given = undefined;
      return first ?? (await openLink(link)).credentials;
    });
  }

  open(): void {
    const { data_url: dataUrl, site_name: siteName, worker_url: workerUrl } = this.#configuration;
    const { account_id, repository_id } = this.#shared;
    const { signal } = this.#ending;
    const location = { account_id, repository_id };
    const source = sourceWithin(
      createDataSource({ dataUrl, location, credentials: this.#credentials, signal }),
      this.#part,
    );
    this.#pages = new DataPages({
      root: this.#main,
      siteName,
      workerUrl,
      sourceOf: () => source,
      mark: <Mark shared={this.#shared} />,
      crumbs: <LinkTrail part={this.#part} />,
      shownAt: (url) => this.#part.shownAt(url),
      read: (shown, from) => readSharedPage(this.#part, dataUrl, shown, from),
      onEnd: () => void this.#endOrExplain(),
    });
    const expiry = setTimeout(() => this.#end(), this.#msToExpiry());
    signal.addEventListener('abort', () => clearTimeout(expiry));
    document.addEventListener('visibilitychange', () => void this.#checkLink(), { signal });
    // After Back, the browser may show a stored copy of the page, even if the link has ended. Reload such a copy.
    addEventListener('pageshow', ({ persisted }) => persisted && globalThis.location.reload(), { signal });
    const shown = this.#part.shownAt(new URL(globalThis.location.href));
    if (shown !== undefined) void this.#pages.show(shown);
  }

  #msToExpiry(): number {
    return Date.parse(this.#shared.link_expires_at) - Date.now() - this.#clockAheadMs;
  }

  async #checkLink(): Promise<void> {
    if (document.hidden || Date.now() - this.#checkedAt < linkCheckedAfterMs) return;
    this.#checkedAt = Date.now();
    if (await this.#hasEnded()) this.#end();
  }

  /** Returns true if the service refuses the link. Returns false for any other error, such as a lost connection. */
  async #hasEnded(): Promise<boolean> {
    try {
      await openLink(this.#link);
      return false;
    } catch (error) {
      return isDataError(error, 'refused');
    }
  }

  /**
   * Finds out why the data proxy has refused a request. If the link is still valid, storage refused a single file, for
   * example an archived one.
   */
  async #endOrExplain(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    if (await this.#hasEnded()) return this.#end();
    this.#stop();
    showMessage(this.#main, 'The file cannot be read', {
      text: `The storage refuses to read it. Tell ${nameOfCreator(this.#shared)}.`,
      action: !this.#part.isFile && (
        <a class="button" href={this.#part.hrefOf(this.#part.prefix)}>
          Go to the shared files
        </a>
      ),
    });
  }

  #stop(): void {
    this.#ending.abort(new DataError('refused', ''));
    this.#credentials.forget();
    this.#pages?.close();
  }

  /** Removes the content and the credentials, and says that the link has ended. */
  #end(): void {
    if (this.#ending.signal.aborted) return;
    this.#stop();
    const isExpired = this.#msToExpiry() <= 0;
    const reason = isExpired
      ? `It was valid until ${formatMinute(Date.parse(this.#shared.link_expires_at))}.`
      : 'Somebody revoked it, or the data is no longer shared.';
    showMessage(this.#main, isExpired ? 'This link has expired' : 'This link has ended', {
      text: `${reason} The page removed the private data. Ask ${nameOfCreator(this.#shared)} for a new link.`,
    });
  }
}

function readConfiguration(): DataPageConfiguration {
  return JSON.parse(document.getElementById(configurationElementId)?.textContent ?? '{}');
}

/** Returns the name of the user who created the link. A user can choose any name, so the account ID follows it. */
function nameOfCreator({ created_by, created_by_name }: OpenedLink['shared']): string {
  return created_by_name ? `${created_by_name} (${created_by})` : created_by;
}

/** Says above each page who shares the data, and until when. */
function Mark({ shared }: { shared: OpenedLink['shared'] }) {
  const { title, repository_id, account_id, account_name, link_expires_at } = shared;
  return (
    <p class="access">
      <span>
        <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M8.5 11.5a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-1 1M11.5 8.5a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l1-1" />
        </svg>
        <span>
          Shared with you by {nameOfCreator(shared)} until{' '}
          <time datetime={link_expires_at}>{formatMinute(Date.parse(link_expires_at))}</time>
        </span>
      </span>
      <span class="soft">
        From {title || repository_id} of {account_name ?? account_id}
      </span>
    </p>
  );
}

/** Replaces the data with a message. */
function showMessage(main: HTMLElement, title: string, { text, action }: { text: string; action?: ComponentChildren }) {
  render(null, main);
  main.replaceChildren();
  render(
    <section class="hero">
      <h1 tabindex={-1}>{title}</h1>
      <p role="alert">{text}</p>
      <p class="actions">
        {action}
        <a class={action ? undefined : 'button'} href="/">
          Go to the front page
        </a>
      </p>
    </section>,
    main,
  );
  document.title = `${title} · ${readConfiguration().site_name}`;
  main.querySelector('h1')?.focus();
}
