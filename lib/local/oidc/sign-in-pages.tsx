import type { ComponentChildren } from 'preact';
import type { Site } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { renderPage } from '../../pages/layout.tsx';
import { stylesheetOf } from '../../pages/site/design.ts';
import { Mark } from '../../pages/site/shell.tsx';
import type { KnownPerson } from './people-provider.ts';

/** Name and colour of the site, for the pages. */
export type SiteLook = Pick<Site, 'name' | 'accent'>;

export interface SignOut {
  /** The provider's own form as HTML, which names the session to end. */
  form: string;
  /** URL that the form finally redirects to. Browsers follow a form's redirect only to allowed origins. */
  back: string | undefined;
  /** The service that the user leaves, in words. */
  of: string | undefined;
  /** True when the user must confirm. Otherwise the page submits itself. */
  isAsked: boolean;
}

const rules = `
main{max-width:28rem;padding-top:min(9vh,4rem)}
main form{display:grid;gap:.6rem;margin:0 0 1rem}main h2{margin:2rem 0 .6rem}
.who{display:flex;justify-content:space-between;align-items:center;gap:1rem;min-height:3rem;padding:.4rem 1rem;border:1px solid var(--edge);border-radius:.45rem;background:var(--paper);color:inherit;font:inherit;font-weight:600;cursor:pointer;text-align:left}
.who:hover{border-color:var(--link);background:var(--tint)}.who code{font-weight:400;overflow-wrap:anywhere}
.one-line{grid-template-columns:minmax(0,1fr) auto}.one-line label{grid-column:1/-1}
main input{font:inherit;color:inherit;min-height:2.75rem;min-width:0;padding:.4rem .75rem;border:1px solid var(--edge);border-radius:.45rem;background:var(--paper)}
button.plain{justify-self:start;border:0;background:none;padding:.25rem 0;color:var(--link);font:inherit;cursor:pointer;text-decoration:underline;text-underline-offset:.18em}
`;
const leave = "document.querySelector('button[name=logout]').click()";

/** Creates the pages of the local issuer. */
export function createSignInPages(site: SiteLook) {
  const stylesheet = stylesheetOf(site) + rules;

  function page(
    title: string,
    body: ComponentChildren,
    { back, script }: { back?: string | undefined; script?: string } = {},
  ) {
    const origin = back !== undefined && URL.canParse(back) ? [new URL(back).origin] : [];
    return renderPage({
      title: `${title} · ${site.name}`,
      stylesheet,
      script,
      body: (
        <>
          <header class="site">
            <div class="inner">
              <span class="brand">
                <Mark />
                {site.name}
              </span>
            </div>
          </header>
          <main>{body}</main>
        </>
      ),
      formTargets: ["'self'", ...origin],
    });
  }

  return {
    /** @param back URL that the form finally redirects to */
    signInPage(clientName: string, people: readonly KnownPerson[], back: string): HtmlPage {
      const buttons = people.map(({ identity_id, name }) => (
        <button key={identity_id} type="submit" class="who" name="sub" value={identity_id}>
          {name} <code>{identity_id}</code>
        </button>
      ));
      const body = (
        <>
          <h1>Sign in</h1>
          <p class="lead">You sign in to {clientName} on this machine. There are no passwords here: choose a user.</p>
          <form method="post">{buttons}</form>
          <h2>New user</h2>
          <form method="post" class="one-line">
            <label for="sub">
              A name that is not in the list above (<code>sub</code> in tokens)
            </label>
            <input
              id="sub"
              name="sub"
              required
              maxlength={255}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
            <button type="submit" class="button">
              Sign in
            </button>
          </form>
          <form method="post">
            <button type="submit" class="plain" name="cancel" value="yes">
              Cancel
            </button>
          </form>
        </>
      );
      return page('Sign in', body, { back });
    },

    signOutPage({ form, back, of = 'this site', isAsked }: SignOut): HtmlPage {
      const body = (
        <>
          <h1>{isAsked ? `Sign out of ${of}?` : 'Signing out'}</h1>
          <p class="lead">Your session in this browser ends. You can sign in again at any time.</p>
          <div dangerouslySetInnerHTML={{ __html: form }} />
          <p class="actions">
            <button type="submit" class="button" form="op.logoutForm" name="logout" value="yes">
              Sign out
            </button>
          </p>
        </>
      );
      return page('Sign out', body, { back, ...(!isAsked && { script: leave }) });
    },

    signedOutPage: (): HtmlPage =>
      page(
        'Signed out',
        <>
          <h1>You are signed out</h1>
          <p class="lead">You can close this page.</p>
        </>,
      ),

    failurePage(error: string, description = ''): HtmlPage {
      const body = (
        <>
          <h1>Sign-in failed</h1>
          <p class="lead">{description} Go back and sign in again.</p>
          <p class="soft">
            <code>{error}</code>
          </p>
        </>
      );
      return page('Sign-in failed', body);
    },
  };
}
