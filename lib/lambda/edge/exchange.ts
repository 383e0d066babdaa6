import type { EdgeRequest } from '../../domain/data/decision.ts';
import { type EdgeConfig, readEdgeConfig } from '../../edge/config.ts';
import { createExchangeHandler, type ExchangeServices } from '../../edge/exchange-handler.ts';
import type { OriginRequestHandler } from '../../edge/handlers.ts';
import { TableExchangeStore } from '../../store/exchange.ts';
import { fetchJson } from '../../sts/fetch-json.ts';
import { createIssuerKeyCache } from '../../sts/issuer-keys.ts';
import { createExchangeThrottle } from '../../sts/throttle.ts';
import { createIdentityTokenVerifier } from '../../sts/token-verifier.ts';
import { createParameterReader } from '../parameters.ts';
import { systemRandom } from '../random.ts';
import { createUserClientsSource } from '../user-clients.ts';
import { createHomeRegionSecret, createHomeRegionTable } from './home-region.ts';
import { edgeLog } from './log.ts';

/**
 * Creates the services of the deployed credential exchange. The function can run in any region. All its data is in the
 * home region.
 */
export function createDeployedExchange(): ExchangeServices {
  const config = readEdgeConfig();
  return {
    clock: Date.now,
    random: systemRandom,
    store: new TableExchangeStore(createHomeRegionTable(config)),
    sessionKeys: createHomeRegionSecret(config, config.session_key_secret_name),
    identityTokens: createIdentityTokenVerifier({
      issuers: config.ci_issuers,
      userClients: createUserClientsSource(
        createParameterReader(config.home_region),
        config.user_clients_parameter,
        Date.now,
      ),
      findKeys: createIssuerKeyCache({ fetchJson, clock: Date.now }),
      clock: Date.now,
    }),
    throttle: createExchangeThrottle(config.throttles, Date.now),
    audience: (request) => audienceOf(config, request),
    log: edgeLog,
  };
}

/** Creates the credential exchange for the object function, which handles exchange requests at `/`. */
export function createDeployedExchangeHandler(): OriginRequestHandler {
  return createExchangeHandler(createDeployedExchange());
}

/** Returns the audience that CI tokens must name. Does not use the Host header, because the client controls it. */
function audienceOf(config: EdgeConfig, request: EdgeRequest): string {
  return config.audience ?? `https://${request.distributionHost}`;
}
