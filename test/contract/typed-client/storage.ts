import { type Api, expect, made, refused } from './client.ts';

/** The owner of an empty bucket connects it without a stored secret, and creates a repository on it. */
export async function storage({ ada, grace }: { ada: Api; grace: Api }): Promise<void> {
  const {
    STS_URL = '',
    STORAGE_ENDPOINT: endpoint = '',
    STORAGE_REGION: region = '',
    BUCKET: bucket = '',
  } = process.env;
  const params = { path: { account_id: 'tides' } };
  const { permissions } = await made(ada.GET('/accounts/{account_id}/permissions', { params }));
  expect(permissions.includes('createAccountDataConnection'), 'the page shows a button to connect storage');
  const role = 'sluice-tides';
  const draft = await made(
    ada.POST('/accounts/{account_id}/data-connections', {
      params,
      body: {
        data_connection_id: 'tides-store',
        name: 'Store of the institute',
        read_only: false,
        allowed_data_modes: ['open', 'private'],
        details: { provider: 's3', bucket, base_prefix: 'institute/', region, endpoint },
        authentication: { type: 's3_web_identity_role', role_arn: `arn:aws:iam::111122223333:role/${role}` },
      },
    }),
  );
  expect(draft.state === 'draft', 'it is a draft until a test passes');
  const one = { params: { path: { data_connection_id: draft.data_connection_id } } };
  await refused(grace.GET('/data-connections/{data_connection_id}', one), 'not_found');
  const place = {
    params,
    body: {
      repository_id: 'own-gauges',
      data_mode: 'open',
      meta: { title: 'Own gauges', description: '', tags: '' },
      data_connection_id: draft.data_connection_id,
    },
  } as const;
  await refused(ada.POST('/repositories/{account_id}', place), 'data_connection_refused');

  const body = { access: 'read_write' } as const;
  const test = () => made(ada.POST('/data-connections/{data_connection_id}/test', { ...one, body }));
  const before = await test();
  const refusedRole = before.checks.find(({ state }) => state === 'failed');
  expect(refusedRole?.code === 'role_refused', 'the first failed step is the role, which does not exist yet');
  // The owner of the bucket pastes the policy into IAM.
  const policy = draft.identity?.trust_policy ?? '';
  const paste = new URLSearchParams({ Action: 'CreateRole', RoleName: role, AssumeRolePolicyDocument: policy });
  expect((await fetch(STS_URL, { method: 'POST', body: paste })).ok, 'the role exists');
  const after = await test();
  expect(
    after.checks.every(({ state }) => state === 'passed'),
    'every step passes',
  );

  const query = { account_id: 'tides' };
  const available = await made(ada.GET('/data-connections/available', { params: { query } }));
  const own = available.find(({ owner_account_id }) => owner_account_id === 'tides');
  expect(own?.authentication_type === 's3_web_identity_role', 'the form for a repository offers it');
  await made(ada.POST('/repositories/{account_id}', place));
  const confirm = { ...one, body: { confirm: draft.data_connection_id } };
  await refused(ada.POST('/data-connections/{data_connection_id}/delete', confirm), 'wrong_state');
}
