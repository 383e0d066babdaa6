import type { ComponentChildren } from 'preact';
import type { ShownSite } from '../../domain/site.ts';
import { assetsPath, entryOf } from '../../domain/site-assets.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { hashOf, markPaths, renderDocument } from '../layout.tsx';
import { configurationElementId, consolePath } from './console-configuration.ts';
import { publicRules, stylesheetOf } from './design.ts';

export interface ShellOptions {
  site: ShownSite;
  title: string;
  description?: string | undefined;
  /** The path and query of the page's canonical URL. Undefined if it has none. */
  canonical?: string | undefined;
  /** The origin from which the page may load images and frames with data. */
  dataOrigin?: string | undefined;
  /** Structured data about the page, which the page contains as JSON-LD. */
  metadata?: unknown;
  /** The content of the search field in the header. Undefined if the page has a search field of its own. */
  query?: string | undefined;
  /** True when the page has no header and no footer, because another page shows it in an iframe. */
  isBare?: boolean;
  isIndexed?: boolean;
  /** Style rules that only this page needs, in addition to those of all pages. */
  rules?: string;
  /** The script of the page, in addition to the page script that every page with a header has. */
  application?: PageApplication;
  body: ComponentChildren;
}

/** A script of the site, with the permissions that it needs in the page's Content Security Policy. */
export interface PageApplication {
  /** The name of the script's folder below `site/`. */
  entry: string;
  /** The settings for the script. The page contains them as JSON. */
  configuration: unknown;
  /** Origins to which the script may connect, in addition to the site and the data host. */
  connectsTo?: readonly string[];
  /** The only origins to which the script may connect. It may then not even connect to the site and the data host. */
  connectsOnlyTo?: readonly string[];
  /** True when the script does the work of the page script. The page then does not load the page script. */
  replacesPageScript?: boolean;
  /** True when the script shows images that it has read itself, by `blob:` URLs. */
  showsReadImages?: boolean;
  /** True when other pages of the site may show the page in an iframe. Pages of other sites never may. */
  isFramedBySite?: boolean;
}

/** The part of the site that its header and footer show. */
type FrameSite = Pick<ShownSite, 'name' | 'logoFile'>;

/** The entry point of the page script, which improves public pages that are complete without it. */
const pageScript = 'page';

export function renderSitePage(options: ShellOptions): HtmlPage {
  const { site, title, description, canonical, metadata, isIndexed = true, body } = options;
  const { application, rules = '', isBare = false } = options;
  const stylesheet = stylesheetOf(site) + (hasPageScript(options) ? publicRules : '') + rules;
  const fullTitle = title === site.name ? title : `${title} · ${site.name}`;
  const head = (
    <>
      <title>{fullTitle}</title>
      {description && <meta name="description" content={description} />}
      {canonical !== undefined && <link rel="canonical" href={site.url + canonical} />}
      {!isIndexed && <meta name="robots" content="noindex" />}
      <meta property="og:title" content={title} />
      {canonical !== undefined && <meta property="og:url" content={site.url + canonical} />}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site.name} />
      {description && <meta property="og:description" content={description} />}
      <meta name="twitter:card" content="summary" />
      <meta name="twitter:title" content={title} />
      {description && <meta name="twitter:description" content={description} />}
      <style dangerouslySetInnerHTML={{ __html: stylesheet }} />
      {metadata !== undefined && (
        <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: jsonForScript(metadata) }} />
      )}
      {application !== undefined && <Configuration value={application.configuration} />}
      <Scripts entries={entriesOf(options)} of={site} />
    </>
  );
  const main = <main id="main">{body}</main>;
  const framed = (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header site={site}>
        {'query' in options && options.query === undefined ? undefined : <SearchForm query={options.query ?? ''} />}
      </Header>
      {main}
      <Footer site={site} />
    </>
  );
  const html = isBare ? renderDocument(head, main, 'bare') : renderDocument(head, framed);
  return { html, headers: siteHeaders(stylesheet, options) };
}

/** Returns the names of the scripts that a page loads. A page without a header has only the script of its application. */
function entriesOf(options: ShellOptions): string[] {
  const { application } = options;
  return [...(hasPageScript(options) ? [pageScript] : []), ...(application === undefined ? [] : [application.entry])];
}

function hasPageScript({ application, isBare = false }: ShellOptions): boolean {
  return !isBare && application?.replacesPageScript !== true;
}

function Configuration({ value }: { value: unknown }) {
  return (
    <script
      type="application/json"
      id={configurationElementId}
      dangerouslySetInnerHTML={{ __html: jsonForScript(value) }}
    />
  );
}

/** Renders the elements of scripts. They can be in the head, because browsers run modules after the document is parsed. */
function Scripts({ entries, of }: { entries: readonly string[]; of: ShownSite }) {
  const files = entries.map((name) => entryOf(of.entries, name));
  return (
    <>
      {[...new Set(files.flatMap(({ preloads }) => preloads))].map((name) => (
        <link key={name} rel="modulepreload" href={assetsPath + name} />
      ))}
      {files.map(({ script }) => (
        <script key={script} type="module" src={assetsPath + script} />
      ))}
    </>
  );
}

/** Returns JSON for a `script` element. It is escaped, so that no text in it can end the element. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/**
 * Returns the security headers of a page. A page may load the site's script files, and only images and iframes from
 * the data host. It may connect to the site, and cannot be shown in an iframe. A page with an application may also
 * connect to the data host and to the application's origins, and may start workers. Inline scripts, `eval`, and
 * WebAssembly are never allowed.
 */
function siteHeaders(stylesheet: string, { dataOrigin, application }: ShellOptions): Record<string, string> {
  const data = dataOrigin === undefined ? '' : ` ${dataOrigin}`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src '${hashOf(stylesheet)}'`,
      `img-src 'self' data:${application?.showsReadImages ? ' blob:' : ''}${data}`,
      ...(data === '' ? [] : [`media-src${data}`]),
      // The iframes are previews of files, and the document that renews the sign-in.
      `frame-src 'self'${data}`,
      "script-src 'self'",
      ...(application === undefined
        ? ["connect-src 'self'"]
        : [
            "worker-src 'self'",
            `connect-src ${[...new Set(application.connectsOnlyTo ?? ["'self'", ...data.trim().split(' '), ...(application.connectsTo ?? [])])].filter(Boolean).join(' ')}`,
          ]),
      "base-uri 'none'",
      "form-action 'self'",
      `frame-ancestors ${application?.isFramedBySite ? "'self'" : "'none'"}`,
    ].join('; '),
    // The URL of the sign-in callback contains a one-time code. Without this header, the browser could send that URL to
    // other sites as the referrer.
    'referrer-policy': application === undefined ? 'strict-origin-when-cross-origin' : 'no-referrer',
    'x-content-type-options': 'nosniff',
    // Without this header, a page of another site that opened the console in a new tab could navigate that tab to a
    // false site, while the user is signed in.
    ...(application === undefined ? {} : { 'cross-origin-opener-policy': 'same-origin' }),
    'x-frame-options': application?.isFramedBySite ? 'SAMEORIGIN' : 'DENY',
  };
}

export function SearchForm({ query, hasButton = false }: { query?: string; hasButton?: boolean }) {
  return (
    <form role="search" action="/-/search" method="get">
      <input type="search" name="q" value={query} placeholder="Search open data" aria-label="Search open data" />
      {hasButton && (
        <button type="submit" class="button">
          Search
        </button>
      )}
    </form>
  );
}

interface HeaderProps {
  site: FrameSite;
  /** The path of the sign-in page, to which the header links. */
  signInPath?: string;
  children?: ComponentChildren;
}

export function Header({ site, signInPath = consolePath, children }: HeaderProps) {
  return (
    <header class="site">
      <div class="inner">
        <a class="brand" href="/">
          {logoOf(site)}
          {site.name}
        </a>
        {children}
        <nav aria-label="Site">
          <a href="/-/search">Catalogue</a>
          <a href="/api/v1/docs">API reference</a>
        </nav>
        <div class="account" data-account>
          <a class="button second" href={signInPath}>
            Sign in
          </a>
        </div>
      </div>
    </header>
  );
}

function logoOf({ logoFile }: FrameSite) {
  // In an `img` element, browsers run no scripts of an SVG file. The alternative text is empty, because the site's name
  // is beside the image.
  if (logoFile !== undefined) return <img class="logo" src={assetsPath + logoFile} alt="" height={28} />;
  return <Mark />;
}

/** The default logo: a gate with water that runs through it. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width={24} height={24} aria-hidden="true">
      <path d={markPaths[0]} />
      <path class="water" d={markPaths[1]} />
    </svg>
  );
}

export function Footer({ site }: { site: FrameSite }) {
  return (
    <footer class="site">
      <div class="inner">
        <p>{site.name}</p>
        <p>
          <a href="/-/search">Catalogue</a> <a href="/api/v1/docs">API reference</a>{' '}
          <a href="/-/console/leaked-key">Report a leaked key</a>
        </p>
      </div>
    </footer>
  );
}
