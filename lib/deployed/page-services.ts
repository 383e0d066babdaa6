import type { OpenDataReader } from '../domain/data/open-data.ts';
import type { Site } from '../domain/site.ts';
import type { ApiServices } from '../http/api-handler.ts';
import type { Services } from '../management/services.ts';
import { readEnvironment, readSite } from './environment.ts';
import { createOpenDataReader } from './open-data.ts';
import { createTableServices } from './table-services.ts';

/** What pages use: the store, to read what anyone may see, and the data proxy as anyone reads it. */
export interface PageServices extends ApiServices, Pick<Services, 'store' | 'dataProxy'> {
  site: Site;
  openData: OpenDataReader;
}

/** Of a deployed page. Nobody is asked who they are, so its bundle carries nothing that checks tokens. */
export async function createDeployedPageServices(): Promise<PageServices> {
  const services = createTableServices(readEnvironment());
  return {
    ...services,
    personTokens: { verify: async () => undefined },
    adminIdentityIds: new Set(),
    site: readSite(),
    openData: createOpenDataReader(services.dataProxy),
  };
}
