import { afterEach, expect, test, vi } from 'vitest';
import { createDeployedExchange } from '../../../../lib/lambda/edge/exchange.ts';
import { parseConfig } from '../../../../lib/stacks/config.ts';
import { edgeConfig } from '../../../../lib/stacks/names.ts';
import { formRequest } from '../../sts/exchange-setup.ts';

/** Sets the values that the bundler writes into the function. */
function deployedWith(settings: object) {
  vi.stubGlobal('SLUICE_EDGE_CONFIG', edgeConfig(parseConfig(settings)));
  return createDeployedExchange();
}
afterEach(() => vi.unstubAllGlobals());

const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/1';
const dataDomain = { name: 'data.example.org', certificateArn };

test.each<[string, object, string]>([
  ["the distribution's own name", {}, 'https://d1234.cloudfront.net'],
  ["the deployment's name for it", { dataDomain }, 'https://data.example.org'],
  ['what is configured', { dataDomain, audience: 'https://old.example.org' }, 'https://old.example.org'],
])('the audience of CI tokens is %s, and never a value from the client', (_, settings, audience) => {
  const { audience: audienceOf } = deployedWith(settings);
  for (const name of ['host', 'x-forwarded-host', ':authority', 'forwarded']) {
    const headers = { host: 'd1234.cloudfront.net', [name]: 'eve.example.org' };
    expect(audienceOf(formRequest('', { headers, distributionHost: 'd1234.cloudfront.net' }))).toBe(audience);
  }
});
