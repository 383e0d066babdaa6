import { type ConsoleConfiguration, configurationElementId } from '../../lib/pages/site/console-configuration.ts';

/** What the page tells of the deployment. */
export const configuration: ConsoleConfiguration = JSON.parse(
  document.getElementById(configurationElementId)?.textContent ?? '{}',
);
