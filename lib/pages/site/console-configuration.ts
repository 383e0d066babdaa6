/**
 * The settings of a deployment that the console needs. The page contains them as JSON, because the script files are the
 * same in all deployments.
 */
export interface ConsoleConfiguration {
  site_name: string;
  data_url: string;
  /** The email address or the URL of the deployment's operator. */
  site_contact?: string | undefined;
  /** The issuer and client for sign-in. Absent if users of the deployment cannot sign in with a browser. */
  sign_in?: { issuer: string; client_id: string } | undefined;
}

/**
 * The settings of the scripts that show private data: on the page for missing data, and on the page behind a link.
 * Everybody gets these two pages with the same content, so the settings name no repository.
 */
export interface DataPageConfiguration {
  site_name: string;
  site_url: string;
  data_url: string;
  /** The URL of the worker script that reads files for previews. */
  worker_url: string;
}

/** The ID of the element that contains the configuration as JSON. */
export const configurationElementId = 'configuration';

/** The path prefix of all console views. */
export const consolePath = '/-/console';

/**
 * The name of the script in `site/` that renews a sign-in. The HTML document with the script has the same name. Public
 * pages load it in an iframe.
 */
export const renewalFrame = 'renewal';

/** The key in the browser's local storage under which the sign-in is stored. */
export const signInKey = 'sluice.tokens';
