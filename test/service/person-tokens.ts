import type { LocalService } from '../../lib/local/service.ts';

/** A token of the people's issuer; for the management API unless an audience says otherwise. */
export async function personToken(
  { identity }: Pick<LocalService, 'identity'>,
  sub: string,
  audience?: string | readonly string[],
): Promise<string> {
  const answer = await fetch(`${identity.url}/people/token`, {
    method: 'POST',
    body: JSON.stringify({ sub, ...(audience === undefined ? {} : { audience }) }),
  });
  return ((await answer.json()) as { token: string }).token;
}
