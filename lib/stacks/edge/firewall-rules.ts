import { limits } from '../../domain/limits.ts';
import { routePath } from '../../operations/operation.ts';
import { problems, problemType } from '../../operations/problems.ts';
import { revokeFoundKey } from '../../operations/public.ts';
import type { Config } from '../config.ts';
import type { RateRule, SecretHeader } from './firewall.ts';

/** IP addresses that AWS knows for attacks. The rule group does not inspect bodies, so uploads pass. */
const knownAttackers = 'AWSManagedRulesAmazonIpReputationList';

/**
 * Probes for known vulnerabilities. The rule group reads the first kilobytes of bodies, which is acceptable for the
 * API.
 */
const knownProbes = 'AWSManagedRulesKnownBadInputsRuleSet';

// The common rule set is not used. It refuses bodies over 8 KB and text that looks like markup. The API accepts both
// and validates them by schema.
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

/** The limits that WAF allows. */
const leastLimit = 10;
const largestLimit = 2_000_000_000;

/** WAF has no content type for XML. Clients parse the body with any content type. */
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
 * @param pages the secret header of pages. Pages run in Lambda and share IP addresses with other AWS customers, so
 *   their requests are counted together instead of by IP address. Their limit corresponds to the API's own limit, and a
 *   stolen secret gives no other right.
 */
export function dataRates({ throttles }: Config, pages: SecretHeader): RateRule[] {
  const message = 'Too many requests from this IP address; slow down and try again in five minutes';
  const slowDown = xml(503, `<Error><Code>SlowDown</Code><Message>${message}</Message></Error>`);
  return [
    {
      name: 'exchange',
      path: '/.sts',
      // Some clients drop the path of the exchange.
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
