import type { HtmlPage } from '../operations/html-page.ts';
import { type PagePolicy, pageHeaders } from './headers.ts';
import { html, Markup } from './markup.ts';

interface Page extends PagePolicy {
  title: string;
  body: Markup;
}

/**
 * A whole page: its body in the document that every page shares. The stylesheet and the script, at the end as a module,
 * stand in the page itself, so that it needs no other request; the policy in the header admits them by their hashes.
 */
export function renderPage({ title, body, ...policy }: Page): HtmlPage {
  const { stylesheet, script } = policy;
  const headers = pageHeaders(policy);
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
${
  script === undefined
    ? undefined
    : html`<script type="module">${new Markup(script)}</script>
`
}</body>
</html>
`;
  return { html: document.text, headers };
}
