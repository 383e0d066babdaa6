import type { OpenDataReader } from '../../domain/data/open-data.ts';
import type { SiteEntries } from '../../domain/site-assets.ts';
import type { ApiServices } from '../../http/api-handler.ts';
import type { Services } from '../../management/services.ts';
import { readEnvironment, readOpenDataCacheSeconds, readSiteEntries } from '../environment.ts';
import { createTableServices } from '../table-services.ts';
import { createOpenDataReader } from './open-data.ts';
import { createDeployedPagesSecret } from './pages-secret.ts';
import { createDeployedSite, type SiteServices } from './site.ts';

/** What pages use: the store, to read what anyone may see, and the data proxy as anyone reads it. */
export interface PageServices extends ApiServices, SiteServices, Pick<Services, 'store' | 'dataProxy'> {
  openData: OpenDataReader;
  /** What the pages load of the site's browser code. */
  siteEntries: () => Promise<SiteEntries>;
  /** For how long CloudFront may keep pages; 0 for not at all. */
  openDataCacheSeconds: number;
}

/** Of a deployed page. Nobody is asked who they are, so its bundle carries nothing that checks tokens. */
export async function createDeployedPageServices(): Promise<PageServices> {
  const services = createTableServices(readEnvironment());
  return {
    ...services,
    ...createDeployedSite(),
    personTokens: { verify: async () => undefined },
    adminIdentityIds: new Set(),
    openData: createOpenDataReader(services.dataProxy, createDeployedPagesSecret()),
    siteEntries: async () => readSiteEntries(),
    openDataCacheSeconds: readOpenDataCacheSeconds(),
  };
}
