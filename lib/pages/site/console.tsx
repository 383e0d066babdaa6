import type { SiteSignIn } from '../../domain/accounts/site-sign-in.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { SiteEntry } from '../../domain/site-assets.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import type { ConsoleConfiguration } from './console-configuration.ts';
import { consoleRules } from './console-design.ts';
import { renderSitePage } from './shell.tsx';

interface ConsoleView {
  site: ShownSite;
  entry: SiteEntry;
  dataUrl: string;
  /** Undefined if the deployment has no sign-in in the browser. */
  signIn: SiteSignIn | undefined;
}

/** Renders the document of the console. It is the same for every user and for every path of the console. */
export function consolePage({ site, entry, dataUrl, signIn }: ConsoleView): HtmlPage {
  const configuration: ConsoleConfiguration = {
    site_name: site.name,
    data_url: dataUrl,
    sign_in: signIn && { issuer: signIn.issuer, client_id: signIn.client_id },
  };
  return renderSitePage({
    site,
    title: 'Console',
    isIndexed: false,
    query: undefined,
    rules: consoleRules,
    dataOrigin: new URL(dataUrl).origin,
    application: { entry, configuration, connectsTo: signIn?.connect_origins ?? [] },
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
