import type { ComponentChildren } from 'preact';
import type { Site } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { renderPage } from '../../pages/layout.tsx';
import { stylesheetOf } from '../../pages/site/design.ts';
import { Mark } from '../../pages/site/shell.tsx';

/** A user that the sign-in page offers. */
export interface KnownUser {
  identity_id: string;
  name: string;
}

/** The site's name and color, which the pages show. */
export type SiteLook = Pick<Site, 'name' | 'accent'>;

export interface SignOut {
  /** The sign-out form of the provider library as HTML. It identifies the session to end. */
  form: string;
  /**
   * The URL to which the browser returns after the form. The Content Security Policy must allow its origin, because
   * browsers follow a form's redirect only to allowed origins.
   */
  back: string | undefined;
  /** The name of the service from which the user signs out. */
  of: string | undefined;
  /** True when the user must confirm the sign-out. If false, the page submits the form by itself. */
  mustConfirm: boolean;
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

/** Creates the sign-in and sign-out pages of the local issuer. */
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
    /** @param back the URL to which the browser returns after the form */
    signInPage: (clientName: string, users: readonly KnownUser[], back: string): HtmlPage =>
      page('Sign in', <SignInForms clientName={clientName} users={users} />, { back }),

    signOutPage: (signOut: SignOut): HtmlPage =>
      page('Sign out', <SignOutForm {...signOut} />, {
        back: signOut.back,
        ...(!signOut.mustConfirm && { script: leave }),
      }),

    signedOutPage: (): HtmlPage =>
      page('Signed out', <Message heading="You are signed out" text="You can close this page." />),

    failurePage: (error: string, description = ''): HtmlPage =>
      page(
        'Sign-in failed',
        <>
          <Message heading="Sign-in failed" text={`${description} Go back and sign in again.`} />
          <p class="soft">
            <code>{error}</code>
          </p>
        </>,
      ),
  };
}

function Message({ heading, text }: { heading: string; text: string }) {
  return (
    <>
      <h1>{heading}</h1>
      <p class="lead">{text}</p>
    </>
  );
}

function SignInForms({ clientName, users }: { clientName: string; users: readonly KnownUser[] }) {
  return (
    <>
      <Message
        heading="Sign in"
        text={`You sign in to ${clientName} on this machine. There are no passwords here: choose a user.`}
      />
      <form method="post">
        {users.map(({ identity_id, name }) => (
          <button key={identity_id} type="submit" class="who" name="sub" value={identity_id}>
            {name} <code>{identity_id}</code>
          </button>
        ))}
      </form>
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
}

function SignOutForm({ form, of = 'this site', mustConfirm }: SignOut) {
  return (
    <>
      <Message
        heading={mustConfirm ? `Sign out of ${of}?` : 'Signing out'}
        text="Your session in this browser ends. You can sign in again at any time."
      />
      <div dangerouslySetInnerHTML={{ __html: form }} />
      <p class="actions">
        <button type="submit" class="button" form="op.logoutForm" name="logout" value="yes">
          Sign out
        </button>
      </p>
    </>
  );
}
