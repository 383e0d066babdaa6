import { expect, it } from 'vitest';
import { routeKeys } from '../../../lib/operations/operation.ts';
import { pages } from '../../../lib/operations/pages.ts';
import { domain, propertiesOf, rightsByRole, synthesize } from './synthesized.ts';

const variablesOf = (settings: object): Record<string, unknown>[] => {
  const functions = propertiesOf(synthesize(settings).pages, 'AWS::Lambda::Function');
  return functions.map(({ Environment }) => Environment.Variables);
};

it('each page has a Lambda, and a route for GET and one for HEAD', () => {
  const { pages: template } = synthesize();
  expect(Object.keys(template.findResources('AWS::Lambda::Function'))).toHaveLength(pages.length);
  const routes = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);
  expect(routes.sort()).toEqual(pages.flatMap(routeKeys).sort());
  expect(pages.flatMap(routeKeys)).toContain('HEAD /{account_id}/{repository_id}');
});

it("passes one host name to pages: the site's, otherwise the API's, otherwise that of the distribution", () => {
  const apiDomain = domain('api.example.org');
  const output = { StackName: 'sluice-api-edge', OutputName: 'ApiUrl', Region: 'us-east-1' };
  for (const [settings, url] of [
    [{ apiDomain, siteDomain: 'portal.example.org' }, 'https://portal.example.org'],
    [{}, { 'Fn::GetStackOutput': output }],
  ] as const) {
    for (const { SLUICE_SITE_URL } of variablesOf(settings)) expect(SLUICE_SITE_URL).toEqual(url);
  }
});

it('only pages that read files and folders may read the firewall secret', () => {
  const { pages: template } = synthesize({ homeRegion: 'eu-west-1' });
  const told = propertiesOf(template, 'AWS::Lambda::Function').flatMap(({ FunctionName, Environment }) => {
    const { SLUICE_PAGES_SECRET_NAME: name, SLUICE_PAGES_SECRET_REGION: region } = Environment.Variables;
    return name === undefined ? [] : [[FunctionName, name, region]];
  });
  expect(told.sort()).toEqual([
    ['sluice-show-preview', 'sluice/pages-1', 'us-east-1'],
    ['sluice-show-repository', 'sluice/pages-1', 'us-east-1'],
  ]);
  const rights = Object.values(rightsByRole(template)).map((statements) => JSON.stringify(statements));
  expect(
    rights.filter((text) => text.includes(':us-east-1:') && text.includes('secret:sluice/pages-1-??????')),
  ).toHaveLength(2);
  expect(rights.filter((text) => text.includes('secret:sluice/origin'))).toEqual([]);
});
