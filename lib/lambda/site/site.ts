import type { ShownSite } from '../../domain/site.ts';
import { readSite } from '../environment.ts';

/** The deployment's name, design, and URL. Each page reads them, because `npm start` learns its port late. */
export interface SiteServices {
  site: () => ShownSite;
}

export function createDeployedSite(): SiteServices {
  const site = readSite();
  return { site: () => site };
}
