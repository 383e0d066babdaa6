/** What the console is told by its page: nothing of a deployment stands in the scripts. */
export interface ConsoleConfiguration {
  site_name: string;
  data_url: string;
  /** Absent where nobody can sign in by a page. */
  sign_in?: { issuer: string; client_id: string } | undefined;
}

/** Of the element that holds it as JSON. */
export const configurationElementId = 'configuration';
