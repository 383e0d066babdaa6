/**
 * The settings of a deployment that the console needs. The page contains them as JSON, because the script files are the
 * same in all deployments.
 */
export interface ConsoleConfiguration {
  site_name: string;
  data_url: string;
  /** The email address or the URL of the operator. */
  site_contact?: string | undefined;
  /** Absent if users of this deployment cannot sign in with a browser. */
  sign_in?: { issuer: string; client_id: string } | undefined;
}

/**
 * The settings of the scripts that show private data: on the page for missing data, and on the page behind a link. These
 * pages are the same for everybody, so the settings contain nothing about a repository.
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

/** The name of the script in `site/`, and of the HTML document that renews the sign-in in an iframe of a public page. */
export const renewalFrame = 'renewal';

/** The local storage key of the sign-in. */
export const signInKey = 'sluice.tokens';
