import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig, settingNames } from '../../../lib/stacks/config.ts';
import { edgeConfig } from '../../../lib/stacks/names.ts';
import settings from '../../../sluice.config.ts';

const secretArn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:datacite-AbCdEf';
const dataCite = { repositoryId: 'TIDES.OPEN', secretArn, prefix: '10.5438' };
const certificateArn = 'arn:aws:acm:us-east-1:111111111111:certificate/a';

describe('the settings of a deployment', () => {
  it('have a default for every part', () => {
    expect(parseConfig({})).toEqual({
      name: 'sluice',
      homeRegion: 'us-east-1',
      adminIdentityIds: [],
      ciIssuers: [{ issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms: ['RS256'] }],
      corsOrigins: [],
      throttles: {
        perIpPerMinute: 1000,
        perKeyPerMinute: 100,
        apiPerSecond: 500,
        apiBurst: 1000,
        apiPerIpPer5Minutes: 6000,
        revocationsPerIpPer5Minutes: 100,
        signUpsPerIpPer5Minutes: 100,
        dataPerIpPer5Minutes: 60_000,
        exchangesPerIpPer5Minutes: 3000,
      },
      pagesSecret: 1,
      identityKeys: [1],
      accountConnections: 'on',
      logRetentionDays: 90,
      storageRoleArns: [],
      priceClass: 'PriceClass_All',
      openDataCacheSeconds: 60,
      reservedConcurrency: {},
      tags: {},
      removalPolicy: 'retain',
      site: { name: 'Sluice', text: expect.stringContaining('Open data'), accent: '#0b6b82' },
    });
  });

  it('of the file are overridden by those of the context, an object or JSON text of the command line', () => {
    const file = { name: 'production', homeRegion: 'eu-west-1' };
    expect(parseConfig(file, '{"name":"staging"}')).toMatchObject({ name: 'staging', homeRegion: 'eu-west-1' });
    expect(parseConfig(file, { homeRegion: 'eu-north-1' })).toMatchObject({ homeRegion: 'eu-north-1' });
    expect(() => parseConfig(file, '{name:staging}')).toThrow(/must be a JSON object/);
  });

  it('in the repository are the defaults, and they can be deployed', () => {
    expect(parseConfig(settings)).toEqual(parseConfig({}));
  });

  it('have all their faults reported at once, each with the name and a remedy', () => {
    const wrong = {
      apiDomain: { name: 'Api', certificateArn: 'arn' },
      logRetentionDays: 2,
      throttles: { apiBurst: 0 },
    };
    const refusal = () => parseConfig(wrong);
    for (const field of ['apiDomain.name', 'apiDomain.certificateArn', 'logRetentionDays', 'throttles.apiBurst']) {
      expect(refusal).toThrow(`  ${field} `);
    }
    expect(refusal).toThrow(/docs\/operating\/configuration\.md/);
  });

  it('register DOIs with the API of DataCite by default', () => {
    expect(parseConfig({ dataCite }).dataCite).toEqual({ ...dataCite, api: 'https://api.datacite.org' });
  });

  it.each(settingNames)('have a description: %s', (name) => {
    expect(readFileSync('docs/operating/configuration.md', 'utf8')).toContain(`\`${name}\``);
  });

  it.each([
    ['a misspelt name', { adminIdentityIDs: ['sub'] }, /adminIdentityIDs/],
    ['an issuer over http', { userIssuer: { issuer: 'http://id.example.org', audience: 'a' } }, /https/],
    ['a CI issuer over http', { ciIssuers: [ciIssuer('http://ci.example.org')] }, /https/],
    ['an audience that a shell would take for more', { audience: 'https://data.example.org/$(id)' }, /letters/],
    ['a data domain that is no host name', { dataDomain: { name: 'a b', certificateArn: 'a' } }, /dataDomain/],
    ['a count of exchanges that lets nobody in', { throttles: { perKeyPerMinute: 0 } }, /perKeyPerMinute/],
    ['every origin', { corsOrigins: ['*'] }, /origin/],
    ['DataCite over http', { dataCite: { ...dataCite, api: 'http://api.datacite.org' } }, /https/],
    ['DataCite with a path', { dataCite: { ...dataCite, api: 'https://api.datacite.org/dois' } }, /without a path/],
    ['a DOI as a prefix', { dataCite: { ...dataCite, prefix: '10.5438/1' } }, /dataCite\.prefix must/],
    ['a repository that is a URL', { dataCite: { ...dataCite, repositoryId: 'a:b' } }, /dataCite\.repositoryId must/],
    [
      'a password in place of its secret',
      { dataCite: { ...dataCite, secretArn: 'secret' } },
      /complete ARN of a secret/,
    ],
    [
      'a secret without its six characters',
      { dataCite: { ...dataCite, secretArn: `${secretArn}/` } },
      /six characters/,
    ],
    ['an origin with a path', { corsOrigins: ['https://example.org/app'] }, /origin/],
    ['a name that is taken for a stack of another', { name: 'tide-api' }, /-api or -edge/],
    ['no region', { homeRegion: 'home' }, /region/],
    ['a region where the edge cannot be', { homeRegion: 'cn-north-1' }, /China/],
    ['another', { homeRegion: 'us-gov-west-1' }, /GovCloud/],
    ['more admins than a function can be told', { adminIdentityIds: Array(31).fill('a') }, /at most 30/],
    [
      'more roles than a policy can name',
      { storageRoleArns: Array(41).fill('arn:aws:iam::111122223333:role/storage') },
      /at most 40/,
    ],
    [
      'a certificate that CloudFront cannot take',
      { dataDomain: { name: 'data.example.org', certificateArn: certificateArn.replace('us-east', 'eu-west') } },
      /us-east-1/,
    ],
    [
      'one name for both hosts',
      { apiDomain: { name: 'a.example.org', certificateArn }, dataDomain: { name: 'a.example.org', certificateArn } },
      /another name/,
    ],
    ['a span of logs that CloudWatch does not know', { logRetentionDays: 10 }, /one of the spans/],
    ['a class of prices that CloudFront does not know', { priceClass: 'PriceClass_300' }, /PriceClass_200/],
    [
      'a word of ours about sign-up at an issuer of yours',
      { selfSignUp: false, userIssuer: { issuer: 'https://id.example.org', audience: 'a' } },
      /that issuer decides/,
    ],
    ['no word about sign-up', { selfSignUp: 'no' }, /true or false/],
    ['too few read units', { tableReadUnitsMax: 10 }, /at least 100/],
    ['too few write units', { tableWriteUnitsMax: 10 }, /at least 100/],
    ['no run for the authorizer', { reservedConcurrency: { authorizer: 0 } }, /reservedConcurrency\.authorizer must/],
    ['too few runs for the stream', { reservedConcurrency: { stream: 3 } }, /at least 4/],
    ['no budget', { monthlyBudget: 0 }, /at least 1 US dollar/],
    ['a tag of AWS', { tags: { 'aws:team': 'data' } }, /not beginning with aws:/],
    ['a tag with signs that AWS does not take', { tags: { team: '<b>' } }, /at most 256 letters/],
    ['no word about protection', { terminationProtection: 'yes' }, /true or false/],
    ['no mail address for alarms', { alarmsEmail: 'operations' }, /mail address/],
    ['account host labels without a name of its own', { virtualHostBase: 'data.example.org' }, /dataDomain/],
    [
      'account host labels of which the data proxy’s own name is one',
      { virtualHostBase: 'example.org', dataDomain: { name: 'data.example.org', certificateArn } },
      /must not be a parent domain of dataDomain/,
    ],
    [
      'one audience for the management API and for data',
      { userIssuer: { issuer: 'https://id.example.org', audience: 'a', dataAudience: 'a' } },
      /another than audience/,
    ],
    [
      'one client for the site and for tools',
      { userIssuer: { issuer: 'https://id.example.org', audience: 'a', clientId: 'b', dataAudience: 'b' } },
      /another client/,
    ],
    [
      'the user issuer as a CI issuer',
      {
        userIssuer: { issuer: 'https://id.example.org', audience: 'a' },
        ciIssuers: [ciIssuer('https://id.example.org')],
      },
      /user issuer/,
    ],
  ])('are refused with %s', (_, settings, message) => {
    expect(() => parseConfig(settings)).toThrow(message);
  });
});

describe('the configuration of edge functions', () => {
  it('contains the parameter of the user issuer instead of the issuer', () => {
    const userIssuer = { issuer: 'https://id.example.org', audience: 'web', dataAudience: 'data' };
    const [pool, issuer] = [{ name: 'tides' }, { name: 'tides', userIssuer }].map((each) =>
      edgeConfig(parseConfig(each)),
    );
    expect(pool?.user_clients_parameter).toBe('/tides/people-clients');
    expect(issuer).toEqual(pool);
  });

  it('contains each limit of exchanges separately', () => {
    const throttlesFor = (settings: object) => edgeConfig(parseConfig(settings)).throttles;
    expect(throttlesFor({})).toEqual({ per_ip_per_minute: 1000, per_key_per_minute: 100 });
    expect(throttlesFor({ throttles: { perKeyPerMinute: 5 } })).toEqual({
      per_ip_per_minute: 1000,
      per_key_per_minute: 5,
    });
  });

  it('uses the domain of the distribution as the audience, unless a domain or an audience is configured', () => {
    const dataDomain = { name: 'data.example.org', certificateArn };
    const audienceFor = (settings: object) => edgeConfig(parseConfig(settings)).audience;
    expect(audienceFor({})).toBeUndefined();
    expect(audienceFor({ dataDomain })).toBe('https://data.example.org');
    expect(audienceFor({ dataDomain, audience: 'https://old.example.org' })).toBe('https://old.example.org');
  });
});

function ciIssuer(issuer: string) {
  return { issuer, kind: 'gitlab', algorithms: ['RS256'] };
}
