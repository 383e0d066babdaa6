import type { ComponentChildren } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { HtmlPage } from '../operations/html-page.ts';
import { type PagePolicy, pageHeaders } from './headers.ts';

interface Page extends PagePolicy {
  title: string;
  body: ComponentChildren;
}

/**
 * Renders a page that needs no other request. Its stylesheet and script are inline, and the policy header admits them
 * by hash. The script is a module at the end of the body.
 */
export function renderPage({ title, body, ...policy }: Page): HtmlPage {
  const { stylesheet, script } = policy;
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: stylesheet }} />
      </head>
      <body>
        {body}
        {script !== undefined && <script type="module" dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>
  );
  return { html: `<!doctype html>\n${renderToStaticMarkup(document)}\n`, headers: pageHeaders(policy) };
}
