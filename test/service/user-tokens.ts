import type { LocalService } from '../../lib/local/service.ts';

/** Returns a user token of the OIDC issuer. The default audience is the management API. */
export async function userToken(
  { identity }: { identity: Pick<LocalService['identity'], 'url'> },
  sub: string,
  audience?: string | readonly string[],
): Promise<string> {
  const answer = await fetch(`${identity.url}/people/token`, {
    method: 'POST',
    body: JSON.stringify({ sub, ...(audience === undefined ? {} : { audience }) }),
  });
  return ((await answer.json()) as { token: string }).token;
}
