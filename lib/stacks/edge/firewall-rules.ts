import { limits } from '../../domain/limits.ts';
import { routePath } from '../../operations/operation.ts';
import { problems, problemType } from '../../operations/problems.ts';
import { revokeFoundKey } from '../../operations/public.ts';
import type { Config } from '../config.ts';
import type { RateRule, SecretHeader } from './firewall.ts';

/** IP addresses that AWS knows for attacks. It looks at no body, so uploads are as they were. */
const knownAttackers = 'AWSManagedRulesAmazonIpReputationList';

/** Probes for holes of well-known software. It reads the first kilobytes of bodies, which the API's callers can bear. */
const knownProbes = 'AWSManagedRulesKnownBadInputsRuleSet';

// Not the common rule set: it refuses bodies over 8 KB and texts that look like markup, both of which the API takes and
// checks by schema.
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

/** WAF takes none below and none above. */
const leastLimit = 10;
const largestLimit = 2_000_000_000;

/** WAF knows no type for XML; clients parse the body whatever its type. */
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
 * @param pages by which pages are known. They ask from addresses that AWS gives to everybody's functions, so what one of
 * those may ask says nothing about a reader. All of them together may ask what the API lets through of them: whoever has
 * got hold of the secret gets no further, and nothing else by it.
 */
export function dataRates({ throttles }: Config, pages: SecretHeader): RateRule[] {
  const message = 'Too many requests from this IP address; slow down and try again in five minutes';
  const slowDown = xml(503, `<Error><Code>SlowDown</Code><Message>${message}</Message></Error>`);
  return [
    {
      name: 'exchange',
      path: '/.sts',
      // Where clients that drop the path of the exchange send theirs.
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
