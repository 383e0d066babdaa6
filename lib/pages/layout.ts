import type { HtmlPage } from '../operations/html-page.ts';
import { pageHeaders } from './headers.ts';
import { html, Markup } from './markup.ts';

/**
 * A whole page: its body in the document that every page shares. The stylesheet stands in the page itself, so that the
 * page needs no other request; policies in the header and in the page admit it by its hash and nothing else.
 */
export function renderPage({
  title,
  stylesheet,
  body,
  formTargets,
}: {
  title: string;
  stylesheet: string;
  body: Markup;
  formTargets?: readonly string[];
}): HtmlPage {
  const headers = pageHeaders(stylesheet, formTargets);
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Markup(stylesheet)}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return { html: document.text, headers };
}
