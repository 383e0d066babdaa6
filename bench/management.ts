import { basePath } from '../lib/operations/operation.ts';
import type { SeededService } from './seeded-service.ts';

export async function personToken(identityUrl: string, sub: string): Promise<string> {
  const answer = await fetch(`${identityUrl}/people/token`, { method: 'POST', body: JSON.stringify({ sub }) });
  const { token } = (await answer.json()) as { token: string };
  return token;
}

/** Returns a client of the management API for a user. It throws for every status except 2xx. */
export async function managerOf({ apiUrl, identity }: SeededService, sub: string) {
  const token = await personToken(identity.url, sub);
  return async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await fetch(`${apiUrl}${basePath}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  };
}
