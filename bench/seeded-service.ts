import { seed, seedNames } from '../lib/local/seed.ts';
import { type LocalService, startLocalService } from '../lib/local/service.ts';
import type { LocalServiceOptions } from '../lib/local/service-options.ts';
import { basePath } from '../lib/operations/operation.ts';

export interface SeededService extends LocalService {
  /** A key of the seeded service account. */
  key: string;
}

/** Throttles that stop no benchmark. */
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

/** Returns the token of a CI run that the seeded service account trusts. */
export async function ciToken({ identity, dataUrl }: Pick<LocalService, 'identity' | 'dataUrl'>): Promise<string> {
  const { repository, branch } = seedNames.workflow;
  const query = new URLSearchParams({ audience: dataUrl, sub: `repo:${repository}:ref:refs/heads/${branch}` });
  const response = await fetch(`${identity.url}/ci/token?${query}`);
  const { value } = (await response.json()) as { value: string };
  return value;
}

/** Returns a client of the management API for a user. It throws for every status except 2xx. */
export async function managementClient({ apiUrl, identity }: SeededService, sub: string) {
  const signedIn = await fetch(`${identity.url}/people/token`, { method: 'POST', body: JSON.stringify({ sub }) });
  const { token } = (await signedIn.json()) as { token: string };
  return async (method: string, path: string, body?: unknown): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${apiUrl}${basePath}${path}`, { method, headers, ...content });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return text;
  };
}
