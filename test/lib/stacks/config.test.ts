import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../lib/stacks/config.ts';
import { edgeConfig } from '../../../lib/stacks/names.ts';

describe('the settings of a deployment', () => {
  it('have a default for every part', () => {
    expect(parseConfig(undefined)).toEqual({
      name: 'sluice',
      homeRegion: 'us-east-1',
      adminIdentityIds: [],
      ciIssuers: [{ issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms: ['RS256'] }],
      corsOrigins: [],
      throttles: { perAddressPerMinute: 1000, perKeyPerMinute: 100 },
      removalPolicy: 'retain',
    });
  });

  it('may be JSON text, as the command line passes them', () => {
    expect(parseConfig('{"homeRegion":"eu-west-1"}').homeRegion).toBe('eu-west-1');
  });

  it.each([
    ['a misspelt name', { adminIdentityIDs: ['sub'] }, /adminIdentityIDs/],
    ['an issuer over http', { userIssuer: { issuer: 'http://id.example.org', audience: 'a' } }, /https/],
    ['a CI issuer over http', { ciIssuers: [ciIssuer('http://ci.example.org')] }, /https/],
    ['an audience that a shell would take for more', { audience: 'https://data.example.org/$(id)' }, /letters/],
    ['a data domain that is no host name', { dataDomain: { name: 'a b', certificateArn: 'a' } }, /dataDomain/],
    ['a count of exchanges that lets nobody in', { throttles: { perKeyPerMinute: 0 } }, /perKeyPerMinute/],
    ['every origin', { corsOrigins: ['*'] }, /origin/],
    ['an origin with a path', { corsOrigins: ['https://example.org/app'] }, /origin/],
    ['no region', { homeRegion: 'home' }, /region/],
    ['account host labels without a name of its own', { virtualHostBase: 'data.example.org' }, /dataDomain/],
    [
      "the people's issuer as a CI issuer",
      {
        userIssuer: { issuer: 'https://id.example.org', audience: 'a' },
        ciIssuers: [ciIssuer('https://id.example.org')],
      },
      /people's issuer/,
    ],
  ])('are refused with %s', (_, settings, message) => {
    expect(() => parseConfig(settings)).toThrow(message);
  });
});

describe('what edge functions are told', () => {
  it('holds how often the exchange may be asked, each count by itself', () => {
    const throttlesFor = (settings: object) => edgeConfig(parseConfig(settings)).throttles;
    expect(throttlesFor({})).toEqual({ per_address_per_minute: 1000, per_key_per_minute: 100 });
    expect(throttlesFor({ throttles: { perKeyPerMinute: 5 } })).toEqual({
      per_address_per_minute: 1000,
      per_key_per_minute: 5,
    });
  });

  it('leaves the audience to the distribution, unless the deployment has a name or an audience of its own', () => {
    const dataDomain = { name: 'data.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/a' };
    const audienceFor = (settings: object) => edgeConfig(parseConfig(settings)).audience;
    expect(audienceFor({})).toBeUndefined();
    expect(audienceFor({ dataDomain })).toBe('https://data.example.org');
    expect(audienceFor({ dataDomain, audience: 'https://old.example.org' })).toBe('https://old.example.org');
  });
});

function ciIssuer(issuer: string) {
  return { issuer, kind: 'gitlab', algorithms: ['RS256'] };
}
