import type { ShownSite } from '../../domain/site.ts';
import { readSite } from '../environment.ts';

/** What the deployment says of itself, and where people find it. Asked for at each page: on one machine the port comes late. */
export interface SiteServices {
  site: () => ShownSite;
}

export function createDeployedSite(): SiteServices {
  const site = readSite();
  return { site: () => site };
}
