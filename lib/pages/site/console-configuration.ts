/** The settings that the page passes to the console. The scripts contain no settings of a deployment. */
export interface ConsoleConfiguration {
  site_name: string;
  data_url: string;
  /** Absent if the deployment has no sign-in in the browser. */
  sign_in?: { issuer: string; client_id: string } | undefined;
}

/** The ID of the element that contains the configuration as JSON. */
export const configurationElementId = 'configuration';
