import type { OpenDataReader } from '../../domain/data/open-data.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { ApiServices } from '../../http/api-handler.ts';
import { createDeployedSite, readEnvironment, readOpenDataCacheSeconds, readSiteEntries } from '../environment.ts';
import { createTableServices, type Services } from '../services.ts';
import { createOpenDataReader } from './open-data.ts';
import { createDeployedPagesSecret } from './pages-secret.ts';

/** The services of pages: the store for public data, and the data proxy without credentials. */
export interface PageServices extends ApiServices, Pick<Services, 'store' | 'dataProxy'> {
  openData: OpenDataReader;
  site: () => ShownSite;
  /** Number of seconds for which CloudFront may cache pages; 0 disables caching. */
  openDataCacheSeconds: number;
}

/**
 * Creates the services of a deployed page. Pages do not authenticate callers, so their bundles contain no code that
 * checks tokens.
 */
export async function createDeployedPageServices(): Promise<PageServices> {
  const services = createTableServices(readEnvironment());
  const site = { ...createDeployedSite().site(), entries: readSiteEntries() };
  return {
    ...services,
    site: () => site,
    userTokens: { verify: async () => undefined },
    adminIdentityIds: new Set(),
    openData: createOpenDataReader(services.dataProxy, createDeployedPagesSecret()),
    openDataCacheSeconds: readOpenDataCacheSeconds(),
  };
}
