import { seed } from '../lib/local/seed.ts';
import { type LocalService, startLocalService } from '../lib/local/service.ts';
import type { LocalServiceOptions } from '../lib/local/service-options.ts';

export interface SeededService extends LocalService {
  /** A key of the seeded service account. */
  key: string;
}

export async function startSeededService({
  withDataSet = false,
  ...options
}: LocalServiceOptions & { withDataSet?: boolean } = {}): Promise<SeededService> {
  const service = await startLocalService(options);
  const { apiUrl, identity, storage } = service;
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet });
  return { ...service, key };
}
