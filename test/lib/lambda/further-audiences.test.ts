import { expect, test } from 'vitest';
import { furtherAudiences } from '../../../lib/lambda/deployed-services.ts';

const environment = {
  SLUICE_USER_ISSUER: 'https://people.example.org',
  SLUICE_API_KEY_MASTER_SECRET_ARN: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:tides/api-key-master-abcdef',
  SLUICE_USER_CLIENTS_PARAMETER: '/tides/people-clients',
};
const clients = { issuer: environment.SLUICE_USER_ISSUER, api_audiences: ['web', 'site'], data_audiences: ['data'] };
const audiences = (held: object | undefined) =>
  furtherAudiences(
    environment,
    () => 0,
    async () => held && JSON.stringify(held),
  ).furtherAudiences?.();

test('the management API accepts clients created after its deployment, but never the clients for data', async () => {
  expect(await audiences(clients)).toEqual(['web', 'site']);
});

test.each([
  ['there is no parameter yet', undefined],
  ['the parameter is of another issuer', { ...clients, issuer: 'https://former.example.org' }],
])('accepts no further audience when %s', async (_, held) => {
  expect(await audiences(held)).toEqual([]);
});

test('reads no parameter when an issuer is configured', () => {
  const { SLUICE_USER_CLIENTS_PARAMETER: _, ...own } = environment;
  expect(furtherAudiences(own, () => 0)).toEqual({});
});
