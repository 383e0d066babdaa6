import { limits } from '../../domain/limits.ts';
import { routePath } from '../../operations/operation.ts';
import { problems, problemType } from '../../operations/problems.ts';
import { revokeFoundKey } from '../../operations/public.ts';
import type { Config } from '../config.ts';
import type { RateRule, SecretHeader } from './firewall.ts';

/**
 * A rule group that refuses IP addresses from which AWS has seen attacks. It does not inspect request bodies, so
 * uploads are not affected.
 */
const knownAttackers = 'AWSManagedRulesAmazonIpReputationList';

/**
 * A rule group that refuses probes for known vulnerabilities. It inspects the first kilobytes of request bodies, which
 * is acceptable for the API.
 */
const knownProbes = 'AWSManagedRulesKnownBadInputsRuleSet';

// The API does not use AWS's common rule set, which refuses bodies above 8 KB and text that looks like HTML. The API
// must accept both kinds of bodies, and checks bodies against a schema itself.
export const apiManagedGroups = [knownAttackers, knownProbes];

export const dataManagedGroups = [knownAttackers];

const problem = (detail: string): RateRule['answer'] => ({
  status: 429,
  contentType: 'APPLICATION_JSON',
  body: JSON.stringify({
    type: problemType('throttled'),
    code: 'throttled',
    title: problems.throttled.title,
    status: 429,
    detail,
  }),
});

/** The smallest and the largest limit that WAF accepts for a rate rule. */
const leastLimit = 10;
const largestLimit = 2_000_000_000;

/**
 * Returns an XML response of the firewall. WAF has no content type for XML, but clients parse the body with any content
 * type.
 */
const xml = (status: number, body: string): RateRule['answer'] => ({ status, contentType: 'TEXT_PLAIN', body });

export function apiRates({ throttles }: Config): RateRule[] {
  return [
    {
      name: 'public-revocation',
      path: routePath(revokeFoundKey),
      limitPer5Minutes: throttles.revocationsPerIpPer5Minutes,
      answer: problem(
        'Too many revocations from this IP address; send up to 1,000 keys in one request to /api/v1/service-account-keys/revocations/batch',
      ),
    },
    {
      name: 'every-request',
      limitPer5Minutes: throttles.apiPerIpPer5Minutes,
      answer: problem('Too many requests from this IP address; wait five minutes'),
    },
  ];
}

/**
 * Returns the rate rules of the data proxy.
 *
 * @param pages the secret header of requests from pages. Pages run in Lambda and have the same IP addresses as other
 * AWS customers. Their requests are therefore counted all together and not by IP address. Their limit is the same as
 * the API's limit. A stolen secret gives no other right.
 */
export function dataRates({ throttles }: Config, pages: SecretHeader): RateRule[] {
  const message = 'Too many requests from this IP address; slow down and try again in five minutes';
  const slowDown = xml(503, `<Error><Code>SlowDown</Code><Message>${message}</Message></Error>`);
  return [
    {
      name: 'exchange',
      path: '/.sts',
      // Count POST requests to `/` as well, because some clients leave out the path of the exchange.
      countsPostsAtRoot: true,
      limitPer5Minutes: throttles.exchangesPerIpPer5Minutes,
      answer: xml(
        400,
        `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>Throttling</Code><Message>${message}</Message></Error></ErrorResponse>`,
      ),
    },
    {
      name: 'pages',
      carries: pages,
      limitPer5Minutes: Math.min(
        largestLimit,
        Math.max(leastLimit, 300 * throttles.apiPerSecond * limits.dataRequestsPerPageMax),
      ),
      answer: slowDown,
    },
    {
      name: 'every-request',
      spares: pages,
      limitPer5Minutes: throttles.dataPerIpPer5Minutes,
      answer: slowDown,
    },
  ];
}
