import type { SiteSignIn } from '../../domain/accounts/site-sign-in.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { type ConsoleConfiguration, renewalFrame } from './console-configuration.ts';
import { consoleRules } from './console-design.ts';
import { lookupOrigins, repositoryLookupFrame } from './machines/repository-lookup.ts';
import { renderSitePage } from './shell.tsx';

interface ConsoleView {
  site: ShownSite;
  dataUrl: string;
  /** The settings for sign-in. Undefined if users of the deployment cannot sign in with a browser. */
  signIn: SiteSignIn | undefined;
}

/** Renders the HTML document of the console. All users and all paths of the console get the same document. */
export function consolePage({ site, dataUrl, signIn }: ConsoleView): HtmlPage {
  const configuration: ConsoleConfiguration = {
    site_name: site.name,
    data_url: dataUrl,
    site_contact: site.contact,
    ...signInSettings(signIn),
  };
  return renderSitePage({
    site,
    title: 'Console',
    isIndexed: false,
    rules: consoleRules,
    dataOrigin: new URL(dataUrl).origin,
    application: {
      entry: 'console',
      configuration,
      connectsTo: signIn?.connect_origins ?? [],
      replacesPageScript: true,
    },
    body: (
      <div id="console">
        <p class="soft">One moment …</p>
        <noscript>
          <p class="notice">The console runs in your browser. Allow scripts for this site, and reload the page.</p>
        </noscript>
      </div>
    ),
  });
}

function signInSettings(signIn: SiteSignIn | undefined): Pick<ConsoleConfiguration, 'sign_in'> {
  return { sign_in: signIn && { issuer: signIn.issuer, client_id: signIn.client_id } };
}

/**
 * Renders the document that renews the sign-in of a user for public pages, which load it in an iframe. It may connect
 * to the issuer only.
 */
export function renewalPage(site: ShownSite, signIn: SiteSignIn | undefined): HtmlPage {
  return renderSitePage({
    site,
    title: 'Sign-in',
    isIndexed: false,
    isBare: true,
    application: {
      entry: renewalFrame,
      configuration: signInSettings(signIn),
      connectsOnlyTo: signIn?.connect_origins ?? [],
      isFramedBySite: true,
    },
    body: <p>The site uses this page to renew your sign-in.</p>,
  });
}

/**
 * Renders the document that requests the numeric IDs of a repository from its CI system. The console loads this
 * document in an iframe. It is the only document that may connect to the CI systems, and it may connect to nothing
 * else.
 */
export function repositoryLookupPage(site: ShownSite): HtmlPage {
  return renderSitePage({
    site,
    title: 'Numeric IDs of a repository',
    isIndexed: false,
    isBare: true,
    application: {
      entry: repositoryLookupFrame,
      configuration: {},
      connectsOnlyTo: Object.values(lookupOrigins),
      isFramedBySite: true,
    },
    body: <p>The console uses this page to find the numeric IDs of a repository.</p>,
  });
}
