import { type ConsoleConfiguration, configurationElementId } from '../../lib/pages/site/console-configuration.ts';

/** The deployment's settings, from the HTML page. */
export const configuration: ConsoleConfiguration = JSON.parse(
  document.getElementById(configurationElementId)?.textContent ?? '{}',
);
