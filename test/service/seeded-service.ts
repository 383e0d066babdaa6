import { afterAll } from 'vitest';
import { seed } from '../../lib/local/seed.ts';
import { publishSeedData } from '../../lib/local/seed-data.ts';
import type { LocalServiceOptions } from '../../lib/local/service-options.ts';
import { startTestService, type TestService } from './test-service.ts';
import { watchRequests } from './watched-requests.ts';

export interface SeededService extends TestService {
  /** A key of the seeded service account. */
  key: string;
  /** Command names of all requests to the table that a caller awaited. */
  tableRequests: string[];
}

/** Starts a test service with the seed data of `npm start`, created through the API. The data set is optional. */
export async function startSeededService({
  withDataSet = false,
  ...options
}: LocalServiceOptions & { withDataSet?: boolean } = {}): Promise<SeededService> {
  const tableRequests: string[] = [];
  const { instrument } = watchRequests(({ command }) => tableRequests.push(command));
  const service = await startTestService({ instrument, hasVersionedStorage: withDataSet, ...options });
  const { apiUrl, identity, storage } = service;
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet });
  if (withDataSet) await publishSeedData({ dataUrl: service.dataUrl, key });
  return { ...service, key, tableRequests };
}

/** Starts a seeded service for the tests of this file. Call it at the top of the file. */
export async function seededService(options: Parameters<typeof startSeededService>[0] = {}): Promise<SeededService> {
  const service = await startSeededService(options);
  afterAll(() => service.close());
  return service;
}
