import * as z from 'zod';
import type { FindSiteSignIn, SiteSignIn } from '../../domain/accounts/site-sign-in.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { createRefreshedValue, secondsAfter } from '../../domain/refreshed.ts';
import type { Clock } from '../../domain/time.ts';
import { fetchJson } from '../../sts/fetch-json.ts';
import type { FetchJson } from '../../sts/issuer-keys.ts';
import type { ReadParameter } from '../parameters.ts';
import { createLambdaUserPoolClients, type UserClientsEnvironment } from '../user-clients.ts';

interface Reached {
  clock: Clock;
  readParameter?: ReadParameter;
  fetch?: FetchJson;
}

/**
 * Returns the function that finds the sign-in settings of a deployed site. If the deployment's settings name an issuer,
 * they contain the client. If not, the client comes from the user pool's parameter.
 *
 * @param clientId the client ID in the deployment's settings
 */
export function createDeployedSiteSignIn(
  environment: UserClientsEnvironment,
  clientId: string | undefined,
  { clock, readParameter, fetch = fetchJson }: Reached,
): FindSiteSignIn {
  const clients = createLambdaUserPoolClients(environment, clock, readParameter);
  const findClientId = async () => (clients === undefined ? clientId : (await clients())?.site_client_id);
  return createSiteSignIn({ issuer: environment.SLUICE_USER_ISSUER, findClientId }, { fetchJson: fetch, clock });
}

type Origins = Pick<SiteSignIn, 'connect_origins' | 'navigation_origins'>;

const discoverySchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url().optional(),
  revocation_endpoint: z.url().optional(),
  end_session_endpoint: z.url().optional(),
});

interface SiteIssuer {
  issuer: string;
  /** Returns the client ID of the site. Returns undefined when the site has no client. */
  findClientId: () => Promise<string | undefined>;
}

/**
 * Returns the function that finds the site's sign-in settings: its client, and the origins in the issuer's discovery
 * document. Pages with sign-in allow these origins in their Content-Security-Policy. The function fetches the document
 * every hour, and uses it for a day while the issuer does not respond. `findClientId` has a cache of its own.
 */
export function createSiteSignIn(
  { issuer, findClientId }: SiteIssuer,
  { fetchJson, clock }: { fetchJson: FetchJson; clock: Clock },
): FindSiteSignIn {
  const currentOrigins = createRefreshedValue(
    () => fetchOrigins(issuer, fetchJson),
    {
      dueAt: secondsAfter(limits.issuerEndpointsRefreshSeconds),
      endsAt: secondsAfter(limits.issuerEndpointsUsedInOutageSeconds),
      failureRememberedSeconds: limits.issuerFailureRememberedSeconds,
      unavailable: (cause) =>
        new ServiceError('unavailable', 'The sign-in provider does not respond; try again in a few seconds', { cause }),
    },
    clock,
  );
  return async () => {
    const client_id = await findClientId();
    return client_id === undefined ? undefined : { issuer, client_id, ...(await currentOrigins()) };
  };
}

async function fetchOrigins(issuer: string, fetchJson: FetchJson): Promise<Origins> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuerFetchTimeoutMs: timeoutMs, issuerFetchBytesMax: bytesMax } = limits;
  const found = discoverySchema.parse(await fetchJson(url, { timeoutMs, bytesMax }));
  if (found.issuer !== issuer) throw new Error('the discovery document names another issuer');
  const origins = (...urls: (string | undefined)[]) => [
    ...new Set(urls.filter((each) => each !== undefined).map((each) => originOf(each, issuer))),
  ];
  return {
    connect_origins: origins(url, found.token_endpoint, found.userinfo_endpoint, found.revocation_endpoint),
    navigation_origins: origins(found.authorization_endpoint, found.end_session_endpoint),
  };
}

/**
 * Returns the origin of a URL for a Content-Security-Policy. Rejects a host name with `*`, because the policy would
 * then allow every subdomain.
 */
function originOf(url: string, issuer: string): string {
  const { protocol, hostname, origin } = new URL(url);
  // Accept http only if the issuer's own URL has it, as with a local issuer.
  if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) throw new Error(`${url} is not behind https`);
  if (!/^[a-z0-9.-]+$|^\[[0-9a-f:]+\]$/.test(hostname)) throw new Error(`${url} has no host of its own`);
  return origin;
}
