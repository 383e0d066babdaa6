import { createHash } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { HtmlPage } from '../operations/html-page.ts';
import { RenderMarkup } from './render-markup.ts';

interface Page extends PagePolicy {
  title: string;
  body: ComponentChildren;
}

/** The default logo: a gate, and water that runs through it. */
export const markPaths = [
  'M4 3v18M20 3v18M4 6h16',
  'M4 13c2.7 0 2.7-2 5.3-2s2.7 2 5.4 2 2.6-2 5.3-2M4 18c2.7 0 2.7-2 5.3-2s2.7 2 5.4 2 2.6-2 5.3-2',
] as const;

/** The favicon as a data URL, so that browsers need no request for it. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3c8ca0" stroke-width="2"><path d="${markPaths.join('')}"/></svg>`,
)}`;

/** Renders a complete HTML document with the `head` elements that all pages share. */
export function renderDocument(head: ComponentChildren, body: ComponentChildren, bodyClass?: string): string {
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={icon} />
        {head}
      </head>
      <body class={bodyClass}>
        <RenderMarkup.Provider value={renderToStaticMarkup}>{body}</RenderMarkup.Provider>
      </body>
    </html>
  );
  return `<!doctype html>\n${renderToStaticMarkup(document)}\n`;
}

/**
 * Renders a page that needs no further requests. Its Content Security Policy allows only its own inline stylesheet and
 * its own inline script (a module), each by hash.
 */
export function renderPage({ title, body, ...policy }: Page): HtmlPage {
  const { stylesheet, script } = policy;
  const head = (
    <>
      <title>{title}</title>
      <style dangerouslySetInnerHTML={{ __html: stylesheet }} />
    </>
  );
  const content = (
    <>
      {body}
      {script !== undefined && <script type="module" dangerouslySetInnerHTML={{ __html: script }} />}
    </>
  );
  return { html: renderDocument(head, content), headers: pageHeaders(policy) };
}

interface PagePolicy {
  stylesheet: string;
  /** The only script of the HTML page. */
  script?: string | undefined;
  /**
   * The URLs to which forms of the page may be sent, including the targets of redirects. By default, the page may send
   * no form.
   */
  formTargets?: readonly string[] | undefined;
}

/**
 * Returns the headers of a page that may load nothing and send nothing. Its Content Security Policy allows only the
 * inline stylesheet and script, by their hashes.
 */
function pageHeaders({ stylesheet, script, formTargets = ["'none'"] }: PagePolicy): Record<string, string> {
  const scripts = script === undefined ? '' : ` script-src '${hashOf(script)}';`;
  return {
    'content-security-policy': `default-src 'none';${scripts} style-src '${hashOf(stylesheet)}'; img-src data:; base-uri 'none'; form-action ${formTargets.join(' ')}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Returns the hash with which a Content Security Policy allows an inline style or script. */
export function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
