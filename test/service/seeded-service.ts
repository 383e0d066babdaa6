import { afterAll } from 'vitest';
import { seed, seedNames } from '../../lib/local/seed.ts';
import { publishSeedData } from '../../lib/local/seed-data.ts';
import type { LocalServiceOptions } from '../../lib/local/service-options.ts';
import { createOrganization, signUpAdmin, signUpFounder } from '../functions/users.ts';
import { connectByRole, successful } from './account-storage.ts';
import { startTestService, type TestService } from './test-service.ts';
import { watchRequests } from './watched-requests.ts';

export interface SeededService extends TestService {
  /** A key of the seeded service account. */
  key: string;
  /** The command names of all awaited requests to the table. */
  tableRequests: string[];
}

interface SeededServiceOptions extends LocalServiceOptions {
  withDataSet?: boolean;
  /** True if the organization of the seed connects the storage of its repositories by a role. */
  onAccountStorage?: boolean;
}

/** Starts a test service with the seed data of `npm start`, created through the API. The data set is optional. */
export async function startSeededService({
  withDataSet = false,
  onAccountStorage = false,
  ...options
}: SeededServiceOptions = {}): Promise<SeededService> {
  const tableRequests: string[] = [];
  const { instrument } = watchRequests(({ command }) => tableRequests.push(command));
  const service = await startTestService({
    instrument,
    hasVersionedStorage: withDataSet,
    accountLoopbackEndpoints: onAccountStorage,
    ...options,
  });
  const { apiUrl, identity, storage } = service;
  if (onAccountStorage) await connectStorageOfSeed(service);
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet });
  if (withDataSet) await publishSeedData({ dataUrl: service.dataUrl, key });
  return { ...service, key, tableRequests };
}

/** Connects the storage before the seed data is created. The seed then uses the existing connection of this ID. */
async function connectStorageOfSeed(service: TestService): Promise<void> {
  const { user, organization_id: account_id, data_connection_id } = seedNames;
  const owner = await signUpFounder(service, await signUpAdmin(service), user.account_id);
  await createOrganization(owner, account_id);
  await connectByRole(service, successful(owner), { account_id, data_connection_id });
}

/** Starts a seeded service for the tests of this file. Call it at the top of the file. */
export async function seededService(options: Parameters<typeof startSeededService>[0] = {}): Promise<SeededService> {
  const service = await startSeededService(options);
  afterAll(() => service.close());
  return service;
}
