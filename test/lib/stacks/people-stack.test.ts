import { describe, expect, it } from 'vitest';
import { userClientsSchema } from '../../../lib/domain/accounts/user-clients.ts';
import type { Operation } from '../../../lib/operations/operation.ts';
import { pages, showFront } from '../../../lib/operations/pages.ts';
import { operationRights } from '../../../lib/stacks/rights.ts';
import { domain, propertiesOf, synthesize, type Templates, withOutputs } from './synthesized.ts';

const templates = synthesize({ homeRegion: 'eu-west-1' });
const userIssuer = { issuer: 'https://id.example.org', audience: 'sluice' };

function clientsOf({ people }: Pick<Templates, 'people'>): Record<string, Record<string, unknown>> {
  const found = propertiesOf(people, 'AWS::Cognito::UserPoolClient');
  return Object.fromEntries(found.map((client) => [client.ClientName, client]));
}

describe.each(['Site', 'Data'])('the client %s of the user pool', (name) => {
  it('uses only the code grant, for openid, without a secret', () => {
    expect(clientsOf(templates)[name]).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid'],
      SupportedIdentityProviders: ['COGNITO'],
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
    });
  });

  it('has no flow with a password, SRP, or a refresh token without rotation', () => {
    expect(clientsOf(templates)[name]?.['ExplicitAuthFlows']).toEqual(['ALLOW_CUSTOM_AUTH']);
    expect(propertiesOf(templates.api, 'AWS::Cognito::UserPool')[0].LambdaConfig).toBeUndefined();
  });

  it('rotates refresh tokens, which end twelve hours after the sign-in', () => {
    expect(clientsOf(templates)[name]).toMatchObject({
      RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 0 },
      RefreshTokenValidity: 720,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'minutes' },
    });
  });
});

it('no client of the pool issues tokens that can change the user', () => {
  const all = JSON.stringify(Object.values(templates).map((template) => template.toJSON()));
  expect(all).not.toContain('aws.cognito.signin.user.admin');
});

it('tokens of tools last 70 minutes, those of the site an hour', () => {
  const { Site, Data } = clientsOf(templates);
  expect(Data).toMatchObject({ AccessTokenValidity: 70, IdTokenValidity: 70 });
  expect(Site).toMatchObject({ AccessTokenValidity: 60, IdTokenValidity: 60 });
});

it('redirects users to the URL of the site, or to three ports of their own machine', () => {
  const { Site, Data } = clientsOf(templates);
  const site = 'sluice-api-edge.ApiUrl of us-east-1';
  const read = (urls: unknown, template = templates.people) => withOutputs(template, urls);
  expect(read(Site?.['CallbackURLs'])).toEqual([{ 'Fn::Join': ['', [site, '/-/sign-in/callback']] }]);
  expect(read(Site?.['LogoutURLs'])).toEqual([{ 'Fn::Join': ['', [site, '/']] }]);
  expect(Data?.['CallbackURLs']).toEqual([28461, 28462, 28463].map((port) => `http://localhost:${port}/callback`));
  expect(Data?.['LogoutURLs']).toBeUndefined();
  templates.apiEdge.hasOutput('ApiUrl', {});

  const named = { apiDomain: domain('api.example.org'), siteDomain: 'portal.example.org' };
  const { people } = synthesize(named);
  expect(read(clientsOf({ people }).Site?.['CallbackURLs'], people)).toEqual([
    'https://portal.example.org/-/sign-in/callback',
    { 'Fn::Join': ['', [site, '/-/sign-in/callback']] },
  ]);
});

it.each([
  ['sluice', 'sluice'],
  ['open-data', 'open-data'],
  // Cognito refuses these reserved words.
  ['aws-data', 'sluice'],
  ['incognito', 'sluice'],
])('the hosted login of %s is at %s and eight hex digits of its stack', (name, prefix) => {
  const [login] = propertiesOf(synthesize({ name }).people, 'AWS::Cognito::UserPoolDomain');
  const uuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
  const digits = { 'Fn::Select': [0, { 'Fn::Split': ['-', uuid] }] };
  expect(login.Domain).toEqual({ 'Fn::Join': ['', [`${prefix}-`, digits]] });
});

const clientsParameter = ({ people }: Pick<Templates, 'people'>) => {
  const named = propertiesOf(people, 'AWS::SSM::Parameter').filter(({ Name }) => Name !== undefined);
  expect(named.map(({ Name }) => Name)).toEqual(['/sluice/people-clients']);
  return named[0];
};

it('one parameter in the home region contains the clients of users for the API and the edge', () => {
  const parameter = clientsParameter(templates);
  const [, parts] = parameter.Value['Fn::Join'];
  const refs: unknown[] = [];
  const text = parts.map((part: unknown) => (typeof part === 'string' ? part : `https://ref/${refs.push(part)}`));
  const clients = userClientsSchema.parse(JSON.parse(text.join('')));
  const named = (value: string) => JSON.stringify(refs[Number(value.split('/').at(-1)) - 1]);
  expect(clients.api_audiences.map(named)).toEqual([expect.stringMatching(/"Site"/)]);
  expect(clients.data_audiences.map(named)).toEqual([expect.stringMatching(/"Data"/)]);
  expect(named(clients.site_client_id ?? '')).toMatch(/"Site"/);
});

it('limits requests that send an email by IP address, at the pages and at the API', () => {
  const [acl] = propertiesOf(templates.people, 'AWS::WAFv2::WebACL');
  expect(acl).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
  const [rule, ...others] = acl.Rules;
  expect(others).toEqual([]);
  expect(rule).toMatchObject({ Action: { Block: {} }, VisibilityConfig: { SampledRequestsEnabled: false } });
  const { Limit, EvaluationWindowSec, AggregateKeyType, ScopeDownStatement } = rule.Statement.RateBasedStatement;
  expect([Limit, EvaluationWindowSec, AggregateKeyType]).toEqual([100, 300, 'IP']);
  const searched = ScopeDownStatement.OrStatement.Statements.map(
    ({ ByteMatchStatement }: { ByteMatchStatement: { SearchString: string } }) => ByteMatchStatement.SearchString,
  );
  expect(searched).toEqual(
    expect.arrayContaining(['/signup', 'AWSCognitoIdentityProviderService.SignUp', '/forgotPassword']),
  );
  templates.people.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);

  const { people } = synthesize({ throttles: { signUpsPerIpPer5Minutes: 25 } });
  expect(propertiesOf(people, 'AWS::WAFv2::WebACL')[0].Rules[0].Statement.RateBasedStatement.Limit).toBe(25);
});

it('the user pool has no other client, and another issuer has the parameter alone', () => {
  const clients = propertiesOf(Object.values(templates), 'AWS::Cognito::UserPoolClient');
  expect(clients.map(({ ClientName }) => ClientName).sort()).toEqual(['Data', 'Site']);
  const people = (given: object) => synthesize({ userIssuer: { ...userIssuer, ...given } }).people;
  expect(Object.keys(people({}).toJSON()['Resources'])).toHaveLength(1);
  const stored = (given: object) => JSON.parse(clientsParameter({ people: people(given) }).Value);
  const { issuer } = userIssuer;
  expect(stored({})).toEqual({ issuer, api_audiences: ['sluice'], data_audiences: [] });
  expect(stored({ dataAudience: 'tools', clientId: 'site' })).toEqual({
    ...{ issuer, api_audiences: ['sluice'] },
    ...{ data_audiences: ['tools'], site_client_id: 'site' },
  });
});

describe('a page that signs users in', () => {
  const clientOf = (settings: object) => {
    const functions = propertiesOf(synthesize(settings).pages, 'AWS::Lambda::Function');
    return [...new Set(functions.map(({ Environment }) => Environment.Variables['SLUICE_SITE_CLIENT_ID']))];
  };

  it('gets the client of a configured issuer from the settings, and that of a user pool from the parameter', () => {
    expect(clientOf({ userIssuer: { ...userIssuer, clientId: 'sluice-site' } })).toEqual(['sluice-site']);
    expect(clientOf({ userIssuer })).toEqual([undefined]);
    expect(clientOf({})).toEqual([undefined]);
  });

  it('is the only page that may read the parameter', () => {
    const arns = {
      ...{ table: 'table', apiKeyMasterSecret: 'master', connectionKey: 'key' },
      ...{ sessionKeys: 'sessions', pagesSecret: 'pages', userClients: 'clients' },
    };
    const reads = (operation: Operation) =>
      operationRights(operation, arns)
        .map((statement) => statement.toJSON())
        .filter(({ Action }) => Action === 'ssm:GetParameter')
        .map(({ Resource }) => Resource);
    expect(reads({ ...showFront, signsIn: true })).toEqual(['clients']);
    for (const page of pages) expect(reads(page), page.name).toEqual(page.signsIn ? ['clients'] : []);
  });
});
