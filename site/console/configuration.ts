import { type ConsoleConfiguration, configurationElementId } from '../../lib/pages/site/console-configuration.ts';

/** The deployment's settings. The server writes them into the HTML page as JSON. */
export const configuration: ConsoleConfiguration = JSON.parse(
  document.getElementById(configurationElementId)?.textContent ?? '{}',
);
