import { describe, expect, test } from 'vitest';
import { compileRoutes } from '../../../../lib/local/api-gateway/routes.ts';

const routes = [
  { method: 'GET', path: '/accounts/{account_id}', name: 'get-account' },
  { method: 'POST', path: '/accounts', name: 'create-account' },
  { method: 'GET', path: '/connections/{id}', name: 'get-connection' },
  { method: 'GET', path: '/connections/available', name: 'list-available' },
  { method: 'GET', path: '/{kind}/{id}/members', name: 'any-members' },
  { method: 'GET', path: '/accounts/{id}/{list}', name: 'account-lists' },
  { method: 'ANY', path: '/any', name: 'any' },
  { method: 'GET', path: '/accounts/below/{rest+}', name: 'below' },
];

describe('a request matches', () => {
  test.each([
    ['GET', '/accounts/ada', 'get-account', { account_id: 'ada' }],
    ['GET', '/accounts/a%2Fb', 'get-account', { account_id: 'a%2Fb' }],
    ['POST', '/accounts', 'create-account', {}],
    ['GET', '/connections/available', 'list-available', {}],
    ['GET', '/connections/other', 'get-connection', { id: 'other' }],
    ['GET', '/accounts/ada/members', 'account-lists', { id: 'ada', list: 'members' }],
    ['GET', '/groups/ada/members', 'any-members', { kind: 'groups', id: 'ada' }],
    ['PATCH', '/any', 'any', {}],
    ['GET', '/accounts/below/a/b/c', 'below', {}],
    ['GET', '/accounts/below/a', 'account-lists', { id: 'below', list: 'a' }],
  ])('%s %s: %s', (method, path, name, parameters) => {
    const match = compileRoutes(routes)(method, path);
    expect([match?.route.name, match?.parameters]).toEqual([name, parameters]);
  });
});

describe('a request matches no route', () => {
  test.each([
    ['HEAD', '/accounts/ada'],
    ['GET', '/accounts/'],
    ['GET', '/accounts'],
    ['GET', '/accounts/ada/'],
    ['GET', '/Accounts/ada'],
    ['GET', '//accounts/ada'],
    ['GET', '/nothing'],
  ])('%s %s', (method, path) => {
    expect(compileRoutes(routes)(method, path)).toBeUndefined();
  });
});

test('the default route matches every other path and method', () => {
  const find = compileRoutes([...routes, { method: 'ANY', path: '$default', name: 'not-found' }]);
  expect(find('DELETE', '/nothing/here')?.route.name).toBe('not-found');
  expect(find('GET', '/accounts/ada')?.route.name).toBe('get-account');
});
