import { handler as exchangeCredentials } from '../../functions/edge/exchange-credentials.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import { limits } from '../domain/limits.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import type { Clock } from '../domain/time.ts';
import type { EdgeLog } from '../edge/handlers.ts';
import { systemRandom } from '../lambda/random.ts';
import { TableExchangeStore } from '../store/exchange.ts';
import type { Table } from '../store/table.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import { createIssuerKeyCache } from '../sts/issuer-keys.ts';
import { createExchangeThrottle, type ExchangeThrottles } from '../sts/throttle.ts';
import { createIdentityTokenVerifier } from '../sts/token-verifier.ts';
import type { IdentityIssuers } from './oidc/issuers.ts';
import { peopleClientsOf, withStoredIssuer } from './oidc/person-tokens.ts';

interface LocalExchangeParts {
  clock: Clock;
  table: Table;
  sessionKeys: SecretSource;
  ciIssuers: readonly CiIssuer[];
  people: IdentityIssuers['people'];
  /** Stored name of the issuer of users. */
  peopleIssuer: string;
  throttles: Partial<ExchangeThrottles> | undefined;
  audience: () => string;
  log: EdgeLog;
}

/** Creates the deployed exchange with the local issuers. */
export function createLocalExchange({ clock, table, sessionKeys, audience, log, ...parts }: LocalExchangeParts) {
  const identityTokens = createIdentityTokenVerifier({
    issuers: parts.ciIssuers,
    people: async () => peopleClientsOf(parts.people),
    findKeys: createIssuerKeyCache({ fetchJson, clock }),
    clock,
  });
  const { exchangesPerIpPerMinute: per_ip_per_minute, exchangesPerKeyPerMinute: per_key_per_minute } = limits;
  return exchangeCredentials.withServices({
    clock,
    random: systemRandom,
    store: new TableExchangeStore(table),
    sessionKeys,
    identityTokens: withStoredIssuer(identityTokens, parts.peopleIssuer),
    throttle: createExchangeThrottle({ per_ip_per_minute, per_key_per_minute, ...parts.throttles }, clock),
    audience,
    log,
  });
}
