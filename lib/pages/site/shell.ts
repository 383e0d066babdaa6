import { createHash } from 'node:crypto';
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { Site } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { stylesheetOf } from './design.ts';
import { texts } from './texts.ts';

export interface ShellOptions {
  site: Site;
  title: string;
  description?: string | undefined;
  /** The path of the page's one URL, with its query. */
  canonical?: string | undefined;
  /** Where images and frames of data come from. */
  dataOrigin?: string | undefined;
  /** JSON-LD. */
  metadata?: unknown;
  /** What the search field at the top holds; undefined where the page has one of its own. */
  query?: string | undefined;
  isIndexed?: boolean;
  body: ComponentChildren;
}

/** A whole page of the site: without scripts, in one answer. */
export function renderSitePage(options: ShellOptions): HtmlPage {
  const { site, title, description, canonical, metadata, dataOrigin, isIndexed = true, body } = options;
  const stylesheet = stylesheetOf(site);
  const fullTitle = title === site.name ? title : `${title} · ${site.name}`;
  const head = html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href=${icon} />
    <title>${fullTitle}</title>
    ${description && html`<meta name="description" content=${description} />`}
    ${canonical !== undefined && html`<link rel="canonical" href=${canonical} />`}
    ${!isIndexed && html`<meta name="robots" content="noindex" />`}
    <meta property="og:title" content=${title} />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content=${site.name} />
    ${description && html`<meta property="og:description" content=${description} />`}
    <meta name="twitter:card" content="summary" />
    <style dangerouslySetInnerHTML=${{ __html: stylesheet }} />
    ${
      metadata !== undefined &&
      html`<script type="application/ld+json" dangerouslySetInnerHTML=${{ __html: jsonForScript(metadata) }} />`
    }
  </head>`;
  const document = html`<html lang="en">
    ${head}
    <body>
      <a class="skip" href="#main">${texts.skip}</a>
      <${Header} site=${site} query=${'query' in options ? options.query : ''} />
      <main id="main">${body}</main>
      <${Footer} site=${site} />
    </body>
  </html>`;
  return {
    html: `<!doctype html>\n${renderToStaticMarkup(document)}\n`,
    headers: siteHeaders(stylesheet, dataOrigin),
  };
}

/** No markup may end the element that holds it. */
function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** No script of any kind, nothing of others but images and frames of the data host, and framed by nobody. */
function siteHeaders(stylesheet: string, dataOrigin: string | undefined): Record<string, string> {
  const hash = createHash('sha256').update(stylesheet).digest('base64');
  const data = dataOrigin === undefined ? '' : ` ${dataOrigin}`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      `img-src 'self' data:${data}`,
      ...(data === '' ? [] : [`media-src${data}`, `frame-src${data}`]),
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

export function SearchForm({ query }: { query?: string }) {
  return html`<form role="search" action="/-/search" method="get">
    <input type="search" name="q" value=${query} placeholder=${texts.searchLabel} aria-label=${texts.searchLabel} />
  </form>`;
}

function Header({ site, query }: { site: Site; query: string | undefined }) {
  return html`<header class="site">
    <div class="inner">
      <a class="brand" href="/"><${Mark} />${site.name}</a>
      ${query !== undefined && html`<${SearchForm} query=${query} />`}
      <nav aria-label="Site">
        <a href="/-/search">${texts.catalogue}</a>
        <a href="/api/v1/docs">${texts.apiReference}</a>
      </nav>
    </div>
  </header>`;
}

const markPaths = [
  'M4 3v18M20 3v18M4 6h16',
  'M4 13c2.7 0 2.7-2 5.3-2s2.7 2 5.4 2 2.6-2 5.3-2M4 18c2.7 0 2.7-2 5.3-2s2.7 2 5.4 2 2.6-2 5.3-2',
] as const;

/** Stands in the page, so that no browser asks for one. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3c8ca0" stroke-width="2"><path d="${markPaths.join('')}"/></svg>`,
)}`;

/** A gate with water running through it. */
function Mark() {
  return html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <path d=${markPaths[0]} />
    <path class="water" d=${markPaths[1]} />
  </svg>`;
}

function Footer({ site }: { site: Site }) {
  return html`<footer class="site">
    <div class="inner"><p>${site.name}</p><p><a href="/-/search">${texts.catalogue}</a> <a href="/api/v1/docs">${texts.apiReference}</a></p></div>
  </footer>`;
}

export function Card({ title, children }: { title?: string; children?: ComponentChildren }) {
  return html`<section class="card">${title !== undefined && html`<h2>${title}</h2>`}${children}</section>`;
}
