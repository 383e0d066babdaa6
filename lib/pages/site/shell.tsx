import type { ComponentChildren } from 'preact';
import type { ShownSite } from '../../domain/site.ts';
import { assetsPath, type SiteEntry } from '../../domain/site-assets.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { hashOf, markPaths, renderDocument } from '../layout.tsx';
import { configurationElementId } from './console-configuration.ts';
import { stylesheetOf } from './design.ts';

export interface ShellOptions {
  site: ShownSite;
  title: string;
  description?: string | undefined;
  /** The path of the canonical URL, with its query; undefined if the page has none. */
  canonical?: string | undefined;
  /** The origin of images and frames with data. */
  dataOrigin?: string | undefined;
  /** Structured data as JSON-LD. */
  metadata?: unknown;
  /** The content of the search field at the top; undefined if the page has its own field. */
  query?: string | undefined;
  /** True when the page shows another page of the site in a frame. */
  framesPages?: boolean;
  /** True when the page has no header and no footer, because a frame of another page shows it. */
  isBare?: boolean;
  isIndexed?: boolean;
  /** Style rules of this page in addition to the shared ones. */
  rules?: string;
  /** The script of the page. By default, a page has none. */
  application?: PageApplication;
  body: ComponentChildren;
}

/** An entry of our browser code, with the permissions that its policy needs. */
export interface PageApplication {
  entry: SiteEntry;
  /** The configuration, which the page contains as JSON. */
  configuration: unknown;
  /** Origins of its requests in addition to the site and the data host. */
  connectsTo?: readonly string[];
  /** Origins of all its requests, without the site and the data host. */
  connectsOnlyTo?: readonly string[];
  /** True when pages of the site may show it in a frame. Other sites never may. */
  isFramedBySite?: boolean;
}

/** Renders a complete page of the site in one response. Pages without an application have no scripts. */
export function renderSitePage(options: ShellOptions): HtmlPage {
  const { site, title, description, canonical, metadata, isIndexed = true, body } = options;
  const { application, rules = '', isBare = false } = options;
  const stylesheet = stylesheetOf(site) + rules;
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
      {application !== undefined && <Application {...application} />}
    </>
  );
  const main = <main id="main">{body}</main>;
  const framed = (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header site={site} query={'query' in options ? options.query : ''} />
      {main}
      <Footer site={site} />
    </>
  );
  const html = isBare ? renderDocument(head, main, 'bare') : renderDocument(head, framed);
  return { html, headers: siteHeaders(stylesheet, options) };
}

/** Modules run after the document is parsed, so the script element can be in the head. */
function Application({ entry, configuration }: PageApplication) {
  return (
    <>
      <script
        type="application/json"
        id={configurationElementId}
        dangerouslySetInnerHTML={{ __html: jsonForScript(configuration) }}
      />
      {entry.preloads.map((name) => (
        <link key={name} rel="modulepreload" href={assetsPath + name} />
      ))}
      <script type="module" src={assetsPath + entry.script} />
    </>
  );
}

/** Returns JSON for a script element. No text in it can end the element. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/**
 * Returns the security headers. A page has no scripts and no framing, and loads only images and frames of the data
 * host. An application adds the site's files and its connections, but no inline script, no `eval`, and no WebAssembly.
 */
function siteHeaders(
  stylesheet: string,
  { dataOrigin, application, framesPages = false }: ShellOptions,
): Record<string, string> {
  const data = dataOrigin === undefined ? '' : ` ${dataOrigin}`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src '${hashOf(stylesheet)}'`,
      `img-src 'self' data:${data}`,
      ...(data === '' ? [] : [`media-src${data}`, `frame-src${framesPages ? " 'self'" : ''}${data}`]),
      ...(application === undefined
        ? []
        : [
            "script-src 'self'",
            "worker-src 'self'",
            `connect-src ${[...new Set(application.connectsOnlyTo ?? ["'self'", ...data.trim().split(' '), ...(application.connectsTo ?? [])])].filter(Boolean).join(' ')}`,
          ]),
      "base-uri 'none'",
      "form-action 'self'",
      `frame-ancestors ${application?.isFramedBySite ? "'self'" : "'none'"}`,
    ].join('; '),
    // The URL of an application can contain the one-time code of a sign-in.
    'referrer-policy': application === undefined ? 'strict-origin-when-cross-origin' : 'no-referrer',
    'x-content-type-options': 'nosniff',
    // Without this, a page that opened the console could navigate its tab during a user's session.
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

function Header({ site, query }: { site: ShownSite; query: string | undefined }) {
  return (
    <header class="site">
      <div class="inner">
        <a class="brand" href="/">
          {logoOf(site)}
          {site.name}
        </a>
        {query !== undefined && <SearchForm query={query} />}
        <nav aria-label="Site">
          <a href="/-/search">Catalogue</a>
          <a href="/api/v1/docs">API reference</a>
          <a href="/-/console">Console</a>
        </nav>
      </div>
    </header>
  );
}

function logoOf({ logoFile }: ShownSite) {
  // An image element runs no scripts of an SVG. The alternative text is empty because the name is beside the image.
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

function Footer({ site }: { site: ShownSite }) {
  return (
    <footer class="site">
      <div class="inner">
        <p>{site.name}</p>
        <p>
          <a href="/-/search">Catalogue</a> <a href="/api/v1/docs">API reference</a>{' '}
          <a href="/-/console/found-key">I found a key</a>
        </p>
      </div>
    </footer>
  );
}

/** Renders the heading of a page, smaller for a long name. */
export function Title({ children }: { children: string }) {
  return <h1 class={children.length > 60 ? 'long' : undefined}>{children}</h1>;
}

export function Card({ title, children }: { title?: string; children?: ComponentChildren }) {
  return (
    <section class="card">
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}
