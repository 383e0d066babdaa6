import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { routeKeys } from '../../../lib/operations/operation.ts';
import { pages } from '../../../lib/operations/pages.ts';
import { domain, propertiesOf, rightsByRole, synthesize, withOutputs } from './synthesized.ts';

const variablesOf = (settings: object): Record<string, unknown>[] => {
  const { pages: template } = synthesize(settings);
  const functions = propertiesOf(template, 'AWS::Lambda::Function');
  return functions.map(({ Environment }) => Object(withOutputs(template, Environment.Variables)));
};

it('each page has a Lambda, and a route for GET and one for HEAD', () => {
  const { pages: template, routes } = synthesize();
  expect(Object.keys(template.findResources('AWS::Lambda::Function'))).toHaveLength(pages.length);
  const keys = propertiesOf(routes, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);
  expect(keys).toEqual(expect.arrayContaining(pages.flatMap(routeKeys)));
  expect(pages.flatMap(routeKeys)).toContain('HEAD /{account_id}/{repository_id}');
});

it("passes one host name to pages: the site's, otherwise the API's, otherwise that of the distribution", () => {
  const apiDomain = domain('api.example.org');
  for (const [settings, url] of [
    [{ apiDomain, siteDomain: 'portal.example.org' }, 'https://portal.example.org'],
    [{}, 'sluice-api-edge.ApiUrl of us-east-1'],
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
    ['sluice-show-versions', 'sluice/pages-1', 'us-east-1'],
  ]);
  const rights = Object.values(rightsByRole(template)).map((statements) => JSON.stringify(statements));
  expect(
    rights.filter((text) => text.includes(':us-east-1:') && text.includes('secret:sluice/pages-1-??????')),
  ).toHaveLength(told.length);
  expect(rights.filter((text) => text.includes('secret:sluice/origin'))).toEqual([]);
});

it('only pages with cursors may read the secret that encrypts them', () => {
  const { pages: template } = synthesize();
  const named = Object.entries(rightsByRole(template)).flatMap(([role, statements]) =>
    /api-key-master|ApiKeyMaster/.test(JSON.stringify(statements)) ? [role.replace(/Role.*/, '')] : [],
  );
  const sealing = pages.filter(({ name }) => /sealPageCursor/.test(readFileSync(`functions/pages/${name}.ts`, 'utf8')));
  expect(sealing.length).toBeGreaterThan(1);
  expect(named).toEqual(sealing.map(({ name }) => name.replaceAll('-', '')));
});
