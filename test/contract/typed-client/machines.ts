import { type Api, apiOf, done, expect, made, refused } from './client.ts';

/** Service accounts with their keys, grants and workflows, and API keys. */
export async function machines({ ada, anyone, baseUrl }: { ada: Api; anyone: Api; baseUrl: string }): Promise<void> {
  const tides = { params: { path: { account_id: 'tides' } } };
  const account = { ...tides, body: { name: 'nightly-sync' } };
  const created = await made(ada.POST('/accounts/{account_id}/service-accounts', account));
  await refused(ada.POST('/accounts/{account_id}/service-accounts', account), 'service_account_id_taken');
  const { service_account_id } = created;
  const of = { params: { path: { service_account_id } } };
  const view = await made(ada.GET('/service-accounts/{service_account_id}', of));
  expect(view.permissions.includes('issueServiceAccountKey'), 'its page shows a button for keys');

  const wanted = { ...of, body: { label: 'build server', expiry: '90d' } } as const;
  const issued = await made(ada.POST('/service-accounts/{service_account_id}/keys', wanted));
  const ofKey = { params: { path: { service_account_id, key_id: issued.key_id } } };
  const expiry = { ...ofKey, body: { expiry: 'never' } } as const;
  const lasting = await made(ada.PUT('/service-accounts/{service_account_id}/keys/{key_id}/expiry', expiry));
  expect(lasting.expires_at === null, 'it lasts for ever');
  await done(anyone.POST('/service-account-keys/revocations', { body: { key: issued.key } }));
  const [key] = await made(ada.GET('/service-accounts/{service_account_id}/keys', of));
  expect(key?.state === 'revoked' && key.created_by_name === 'Ada', 'who found it revoked what Ada made');
  await refused(ada.PUT('/service-accounts/{service_account_id}/keys/{key_id}/expiry', expiry), 'wrong_state');

  const grants = '/service-accounts/{service_account_id}/grants/{repository_id}';
  const grant = { params: { path: { service_account_id, repository_id: 'gauges' } } };
  const write = { ...grant, body: { access: 'read_write' } } as const;
  expect((await ada.PUT(grants, write)).response.status === 201, 'a first PUT makes it');
  expect((await ada.PUT(grants, write)).response.status === 200, 'a second one changes it');
  const granted = await made(ada.GET('/service-accounts/{service_account_id}/grants', of));
  expect(granted.length === 1 && granted[0]?.repository_title === 'Tide gauges', 'there is one, with its title');
  await done(ada.DELETE(grants, grant));

  const trust = { ...of, body: { repository: 'tides/pipelines', branch: 'main' } };
  const trusted = await made(ada.POST('/service-accounts/{service_account_id}/trusted-workflows', trust));
  await refused(ada.POST('/service-accounts/{service_account_id}/trusted-workflows', trust), 'already_trusted');
  const workflow = { params: { path: { service_account_id, workflow_id: trusted.workflow_id } } };
  await made(ada.DELETE('/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}', workflow));

  await made(ada.POST('/service-accounts/{service_account_id}/disable', of));
  await refused(ada.POST('/service-accounts/{service_account_id}/keys', wanted), 'wrong_state');
  await made(ada.POST('/service-accounts/{service_account_id}/enable', of));
  await done(ada.DELETE('/service-accounts/{service_account_id}', of));
  await refused(ada.GET('/service-accounts/{service_account_id}', of), 'not_found');

  const own = { params: { path: { account_id: 'ada' }, header: { 'Idempotency-Key': 'a-key-of-ada' } } };
  const reader = { ...own, body: { name: 'reader', expires: '2090-01-01T00:00:00Z' } };
  const pair = await made(ada.POST('/accounts/{account_id}/api-keys', reader));
  const retried = await refused(ada.POST('/accounts/{account_id}/api-keys', reader), 'secret_shown_once');
  expect(retried.made_id === pair.access_key_id, 'a retry whose answer was lost knows which key to revoke');
  const past = {
    ...own,
    params: { path: { account_id: 'ada' } },
    body: { name: 'late', expires: '2020-01-01T00:00:00Z' },
  };
  await refused(ada.POST('/accounts/{account_id}/api-keys', past), 'field_invalid');
  const byKey = apiOf(baseUrl, `${pair.access_key_id} ${pair.secret_access_key}`);
  const session = await made(byKey.GET('/whoami'));
  expect(session.account?.account_id === 'ada', 'the key acts as its account');
  await refused(byKey.POST('/accounts/{account_id}/api-keys', reader), 'bearer_token_required');
  const keys = await made(ada.GET('/accounts/{account_id}/keys', { params: { path: { account_id: 'ada' } } }));
  expect(keys.length === 1, 'the keys that Ada made are listed');
  const revoked = { params: { path: { access_key_id: pair.access_key_id } } };
  await made(ada.DELETE('/api-keys/{access_key_id}', revoked));
  await refused(byKey.GET('/whoami'), 'unauthenticated');
}
