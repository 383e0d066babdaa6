import type { EdgeRequest } from '../domain/data/decision.ts';
import { type EdgeConfig, readEdgeConfig } from '../edge/config.ts';
import { createExchangeHandler, type ExchangeServices } from '../edge/exchange-handler.ts';
import type { OriginRequestHandler } from '../edge/handlers.ts';
import { TableExchangeStore } from '../store/exchange.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import { issuerKeyCache } from '../sts/issuer-keys.ts';
import { exchangeThrottle } from '../sts/throttle.ts';
import { identityTokenVerifier } from '../sts/token-verifier.ts';
import { homeSecret, homeTable } from './edge-home.ts';
import { edgeLog } from './edge-log.ts';
import { systemRandom } from './random.ts';

/** The real dependencies of the deployed exchange. Everything it reads lies in the home region, wherever it runs. */
export function deployedExchange(): ExchangeServices {
  const config = readEdgeConfig();
  return {
    now: Date.now,
    random: systemRandom,
    store: new TableExchangeStore(homeTable(config)),
    sessionKeys: homeSecret(config, config.session_key_secret_name),
    identityTokens: identityTokenVerifier({
      issuers: config.ci_issuers,
      findKeys: issuerKeyCache({ fetchJson, now: Date.now }),
      now: Date.now,
    }),
    throttle: exchangeThrottle(config.throttles, Date.now),
    audience: (request) => audienceOf(config, request),
    log: edgeLog,
  };
}

/** The exchange within the function that serves objects, which hands over what comes to `/`. */
export function deployedExchangeHandler(): OriginRequestHandler {
  return createExchangeHandler(deployedExchange());
}

/** Never the Host header, which the client writes. */
function audienceOf(config: EdgeConfig, request: EdgeRequest): string {
  return config.audience ?? `https://${request.distributionHost}`;
}
