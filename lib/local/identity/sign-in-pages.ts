import type { HtmlPage } from '../../operations/html-page.ts';
import { renderPage } from '../../pages/layout.ts';
import { html, Markup } from '../../pages/markup.ts';
import type { KnownPerson } from './people-provider.ts';

const stylesheet = `
:root { --paper: #fff; --ink: #16232c; --soft: #51626e; --line: #dfe6ea; --tint: #f4f7f9; --link: #05637f; --on-link: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0f181d; --ink: #dde7ec; --soft: #96a9b4; --line: #25343d; --tint: #162229; --link: #6cc8e4; --on-link: #0a1115; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 12vh 1.25rem 3rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 26rem; margin: 0 auto; }
h1 { margin: 0 0 0.25rem; font-size: 1.8rem; line-height: 1.2; letter-spacing: -0.02em; }
h2 { margin: 2rem 0 0.5rem; font-size: 0.8rem; letter-spacing: 0.04em; text-transform: uppercase; color: var(--soft); }
p { margin: 0 0 1.5rem; color: var(--soft); }
code { font: 0.875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
form { display: grid; gap: 0.6rem; }
.one-line { grid-template-columns: 1fr auto; }
.one-line label { grid-column: 1 / -1; color: var(--soft); }
button, input { min-height: 2.75rem; padding: 0.4rem 0.9rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--tint); color: inherit; font: inherit; }
button { display: flex; justify-content: space-between; align-items: center; gap: 1rem; cursor: pointer; text-align: left; }
button:hover { border-color: var(--link); }
button code { color: var(--soft); }
.main { background: var(--link); border-color: var(--link); color: var(--on-link); }
.plain { margin-top: 2rem; }
.plain button { justify-self: start; min-height: 0; padding: 0; border: 0; background: none; color: var(--soft); text-decoration: underline; text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`;

/** @param back where the answer goes in the end: browsers follow a form's redirect to no other origin */
export function signInPage(clientName: string, people: readonly KnownPerson[], back: string): HtmlPage {
  const buttons = people.map(
    ({ identity_id, name }) =>
      html`<button name="sub" value="${identity_id}">${name} <code>${identity_id}</code></button>\n`,
  );
  const body = html`<main>
<h1>Sign in</h1>
<p>to ${clientName} of the service on this machine. There are no passwords here: be whom you like.</p>
<form method="post">
${buttons}</form>
<h2>Somebody new</h2>
<form method="post" class="one-line">
<label for="sub">Identity (the <code>sub</code> of the tokens)</label>
<input id="sub" name="sub" required maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false">
<button class="main">Sign in</button>
</form>
<form method="post" class="plain"><button name="cancel" value="yes">Do not sign in</button></form>
</main>`;
  return page('Sign in', body, back);
}

/** @param form the provider's own form, which names what is to be ended */
export function signOutPage(form: string, back: string | undefined): HtmlPage {
  const body = html`<main>
<h1>Sign out</h1>
<p>Your session in this browser ends.</p>
${new Markup(form)}
<button class="main" form="op.logoutForm" name="logout" value="yes">Sign out</button>
</main>`;
  return page('Sign out', body, back);
}

export function signedOutPage(): HtmlPage {
  return page('Signed out', html`<main><h1>Signed out</h1><p>You can close this page.</p></main>`);
}

export function failurePage(error: string, description = ''): HtmlPage {
  const body = html`<main>
<h1>This did not work</h1>
<p>${description} Go back to where you came from and sign in again.</p>
<p><code>${error}</code></p>
</main>`;
  return page('This did not work', body);
}

function page(title: string, body: Markup, back?: string): HtmlPage {
  const origin = back !== undefined && URL.canParse(back) ? [new URL(back).origin] : [];
  return renderPage({ title, stylesheet, body, formTargets: ["'self'", ...origin] });
}
