import { seed } from '../lib/local/seed.ts';
import { type LocalService, startLocalService } from '../lib/local/service.ts';
import type { LocalServiceOptions } from '../lib/local/service-options.ts';
import { made } from '../test/functions/users.ts';
import { type Client, createClient } from '../test/service/client.ts';
import { userToken } from '../test/service/user-tokens.ts';

export interface SeededService extends LocalService {
  /** A key of the seeded service account. */
  key: string;
}

/** Throttles that are so high that they affect no benchmark. */
export const unlimited = { per_ip_per_minute: 1e9, per_key_per_minute: 1e9 };

export async function startSeededService({
  withDataSet = false,
  ...options
}: LocalServiceOptions & { withDataSet?: boolean } = {}): Promise<SeededService> {
  const service = await startLocalService(options);
  const { apiUrl, identity, storage } = service;
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet });
  return { ...service, key };
}

/** Returns a client of the management API for a user. The client throws when the status is not 2xx. */
export async function managementClient(service: SeededService, sub: string) {
  const client = createClient(service.apiUrl, { authorization: `Bearer ${await userToken(service, sub)}` });
  return async (...request: Parameters<Client>) => (await made(client(...request))).body;
}
