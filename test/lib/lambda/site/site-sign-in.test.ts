import { describe, expect, it, test } from 'vitest';
import { createDeployedSiteSignIn } from '../../../../lib/lambda/site/site-sign-in.ts';

const issuer = 'https://id.example.org/pool';
const document = {
  issuer,
  authorization_endpoint: 'https://login.example.org/oauth2/authorize',
  token_endpoint: 'https://login.example.org/oauth2/token',
  userinfo_endpoint: 'https://claims.example.org:8443/userinfo',
  revocation_endpoint: 'https://login.example.org/oauth2/revoke',
  end_session_endpoint: 'https://bye.example.org/logout',
};
const clients = { issuer, api_audiences: ['web', 'site'], data_audiences: ['data'], site_client_id: 'site' };

/** Creates a deployment with the given parameter and issuer. */
function deployment({ hasPool = true, clientId }: { hasPool?: boolean; clientId?: string } = {}) {
  const here = {
    now: 0,
    parameter: clients as object | undefined,
    document: document as object | Error,
    asked: [] as string[],
    find: () => find(),
  };
  const environment = {
    SLUICE_USER_ISSUER: issuer,
    SLUICE_API_KEY_MASTER_SECRET_ARN:
      'arn:aws:secretsmanager:eu-west-1:111122223333:secret:tides/api-key-master-abcdef',
    ...(hasPool ? { SLUICE_USER_CLIENTS_PARAMETER: '/tides/people-clients' } : {}),
  };
  const find = createDeployedSiteSignIn(environment, clientId, {
    clock: () => here.now,
    readParameter: async () => here.parameter && JSON.stringify(here.parameter),
    fetch: async (url) => {
      here.asked.push(url);
      if (here.document instanceof Error) throw here.document;
      return here.document;
    },
  });
  return here;
}

const signIn = {
  issuer,
  client_id: 'site',
  connect_origins: ['https://id.example.org', 'https://login.example.org', 'https://claims.example.org:8443'],
  navigation_origins: ['https://login.example.org', 'https://bye.example.org'],
};

test('the site signs in with the client of the user pool, and reaches the origins of its endpoints', async () => {
  expect(await deployment().find()).toEqual(signIn);
});

test('the site signs in at an issuer of the settings with the client of the settings', async () => {
  expect(await deployment({ hasPool: false, clientId: 'sluice-site' }).find()).toEqual({
    ...signIn,
    client_id: 'sluice-site',
  });
});

describe('the site offers no sign-in and sends no request to an issuer', () => {
  it.each([
    ['before the clients of the user pool exist', {}, undefined],
    ['when the parameter names another issuer', {}, { ...clients, issuer: 'https://former.example.org' }],
    ['where the settings name an issuer and no client', { hasPool: false }, clients],
  ])('%s', async (_, given, parameter) => {
    const here = deployment(given);
    here.parameter = parameter;
    expect(await here.find()).toBeUndefined();
    expect(here.asked).toEqual([]);
  });
});

test('the endpoints of the code flow are sufficient', async () => {
  const here = deployment();
  const { authorization_endpoint, token_endpoint } = document;
  here.document = { issuer, authorization_endpoint, token_endpoint };
  expect(await here.find()).toEqual({
    ...signIn,
    connect_origins: ['https://id.example.org', 'https://login.example.org'],
    navigation_origins: ['https://login.example.org'],
  });
});

describe('pages get no endpoints from an invalid discovery document', () => {
  it.each([
    ['of another issuer', { ...document, issuer: 'https://other.example.org' }],
    ['without a token endpoint', { ...document, token_endpoint: undefined }],
    ['whose token endpoint is not behind https', { ...document, token_endpoint: 'http://login.example.org/token' }],
    ['whose endpoint runs as a script', { ...document, end_session_endpoint: 'javascript:alert(1)' }],
    ['whose endpoint is every host of a domain', { ...document, userinfo_endpoint: 'https://*.example.org/' }],
    ['that adds to the policy', { ...document, userinfo_endpoint: "https://a.example.org;script-src'unsafe-inline'/" }],
  ])('%s', async (_, held) => {
    const here = deployment();
    here.document = held;
    await expect(here.find()).rejects.toMatchObject({ code: 'unavailable' });
    here.now = 9_000;
    await expect(here.find()).rejects.toMatchObject({ code: 'unavailable' });
    expect(here.asked).toHaveLength(1);
  });
});
