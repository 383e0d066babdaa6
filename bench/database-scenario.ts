export type Who = 'admin' | 'ada' | 'grace' | 'anyone';
export type Names = Readonly<Record<string, string>>;

/** One request to the management API. Steps whose route is not in the registry are skipped. */
export interface ScenarioStep {
  /** Method and path as the registry declares them. */
  route: string;
  as: Who;
  body?: unknown | ((names: Names) => unknown);
  /** Path parameters that differ from those of the scenario. */
  names?: Names;
  query?: string;
  /** Distinguishes the step from others of the same operation. */
  note?: string;
}

/** Path parameters, in addition to the IDs from earlier responses of the scenario. */
export const scenarioNames: Names = {
  account_id: 'bench-institute',
  repository_id: 'bench-repository',
  data_connection_id: 'bench-store',
  service_account_id: 'bench-institute--bench-sync',
};

const person = (account_id: string) => ({ account_id, account_type: 'user', profile: { name: account_id } });
const meta = { title: 'Bench', description: 'For measuring', tags: 'bench' };
const connection = {
  data_connection_id: 'bench-store',
  name: 'Bench store',
  read_only: false,
  allowed_data_modes: ['open', 'private'],
  // The connection test contacts the storage. Its host name can never exist (RFC 2606).
  details: {
    provider: 's3',
    bucket: 'bench-store',
    base_prefix: '',
    region: 'us-east-1',
    endpoint: 'https://storage.invalid',
  },
  authentication: { type: 's3_access_key', access_key_id: 'AKBENCH', secret_access_key: 'bench' },
};
const apiKey = { name: 'bench', expires: '2999-01-01T00:00:00.000Z' };
const serviceAccount = '/service-accounts/{service_account_id}';
const issueKey: ScenarioStep = {
  route: `POST ${serviceAccount}/keys`,
  as: 'ada',
  body: { label: 'bench', expiry: '30d' },
};
const repository = '/repositories/{account_id}/{repository_id}';

const ofGrace = { account_id: 'grace', blocked_account_id: 'bench-institute' };
const offer: ScenarioStep = {
  route: `POST ${repository}/transfers`,
  as: 'ada',
  names: { repository_id: 'bench-given' },
};

/** The steps from a new organization to a deleted one. Each step uses the results of the earlier ones. */
export const scenario: readonly ScenarioStep[] = [
  { route: 'GET /health', as: 'anyone' },
  { route: 'ANY /$default', as: 'anyone' },
  { route: 'GET /openapi.json', as: 'anyone' },
  { route: 'GET /docs', as: 'anyone' },

  { route: 'POST /accounts', as: 'grace', body: person('grace'), note: 'of a person' },
  {
    route: 'POST /accounts',
    as: 'ada',
    body: { ...person('bench-institute'), account_type: 'organization' },
    note: 'of an organization',
  },
  { route: 'GET /whoami', as: 'ada' },
  { route: 'POST /session/data-credentials', as: 'ada', body: { role: 'ReadOnly' } },
  { route: 'GET /accounts/{account_id}', as: 'ada' },
  {
    route: 'PUT /accounts/{account_id}/flags',
    as: 'admin',
    body: ['create_organizations'],
    names: { account_id: 'grace' },
  },
  { route: 'GET /accounts/{account_id}/flags', as: 'ada' },
  { route: 'PUT /accounts/{account_id}/profile', as: 'ada', body: { bio: 'Measured' } },
  { route: 'GET /accounts/{account_id}/profile', as: 'anyone' },
  { route: 'GET /accounts/{account_id}/permissions', as: 'ada' },
  { route: 'PUT /accounts/{account_id}/repository-limit', as: 'admin', body: { repositories_max: 2000 } },

  { route: 'POST /data-connections', as: 'admin', body: connection },
  { route: 'GET /data-connections/{data_connection_id}', as: 'ada' },
  { route: 'PUT /data-connections/{data_connection_id}', as: 'admin', body: connection },
  { route: 'POST /data-connections/{data_connection_id}/test', as: 'admin', body: { access: 'read' } },
  { route: 'GET /data-connections', as: 'ada' },
  { route: 'GET /data-connections/available', as: 'ada' },

  {
    route: 'POST /repositories/{account_id}',
    as: 'ada',
    body: { repository_id: 'bench-repository', data_mode: 'open', meta, data_connection_id: 'bench-store' },
  },
  { route: `GET ${repository}`, as: 'ada' },
  { route: `PUT ${repository}`, as: 'ada', body: { meta, state: 'listed' } },
  { route: `GET ${repository}/overview`, as: 'anyone', note: 'by anyone' },
  { route: `GET ${repository}/permissions`, as: 'anyone', note: 'by anyone' },
  { route: `GET ${repository}/overview`, as: 'ada', note: 'by an owner' },
  { route: `PUT ${repository}/data-mode`, as: 'ada', body: { data_mode: 'private' } },
  { route: `PUT ${repository}/data-mode`, as: 'ada', body: { data_mode: 'open' }, note: 'opened' },
  { route: 'GET /repositories/{account_id}', as: 'ada' },
  { route: 'GET /repositories', as: 'anyone' },
  { route: 'GET /repositories', as: 'anyone', query: 'q=bench', note: 'a search that loads the index' },
  { route: 'GET /repositories', as: 'anyone', query: 'q=bench', note: 'a search' },

  { route: 'GET /accounts', as: 'ada', query: 'prefix=gra&scope=bench-institute' },
  { route: 'POST /accounts/{account_id}/members', as: 'ada', body: { account_id: 'grace', role: 'read_data' } },
  { route: 'POST /memberships/{membership_id}/accept', as: 'grace' },
  { route: 'POST /memberships/{membership_id}/update-role', as: 'ada', body: 'write_data' },
  { route: 'GET /accounts/{account_id}/members', as: 'ada' },
  { route: 'POST /memberships/{membership_id}/revoke', as: 'ada' },

  {
    route: 'POST /repositories/{account_id}',
    as: 'ada',
    body: { repository_id: 'bench-given', data_mode: 'open', meta, data_connection_id: 'bench-store' },
    note: 'a second one',
  },
  // Few for each recipient, because the number of invitations and transfers per day is limited.
  { ...offer, body: { to: 'site-admin' }, note: 'withdrawn' },
  { route: 'GET /accounts/{account_id}/transfers', as: 'ada' },
  { route: 'POST /transfers/{transfer_id}/withdraw', as: 'ada' },
  { ...offer, body: { to: 'site-admin' }, note: 'declined' },
  { route: 'POST /transfers/{transfer_id}/decline', as: 'admin' },
  { ...offer, body: { to: 'grace' }, note: 'accepted' },
  { route: 'POST /transfers/{transfer_id}/accept', as: 'grace' },

  { route: `POST ${repository}/members`, as: 'ada', body: { account_id: 'grace', role: 'read_data' } },
  { route: `GET ${repository}/members`, as: 'ada' },
  { route: 'POST /memberships/{membership_id}/reject', as: 'grace' },
  { route: 'PUT /accounts/{account_id}/blocked-accounts/{blocked_account_id}', as: 'grace', names: ofGrace },
  { route: 'GET /accounts/{account_id}/blocked-accounts', as: 'grace', names: ofGrace },
  { route: 'DELETE /accounts/{account_id}/blocked-accounts/{blocked_account_id}', as: 'grace', names: ofGrace },

  { route: `POST ${repository}/api-keys`, as: 'ada', body: apiKey },
  { route: `GET ${repository}/api-keys`, as: 'ada' },
  { route: 'POST /accounts/{account_id}/api-keys', as: 'ada', body: apiKey },
  { route: 'GET /accounts/{account_id}/api-keys', as: 'ada' },
  { route: 'GET /accounts/{account_id}/keys', as: 'ada' },
  { route: 'DELETE /api-keys/{access_key_id}', as: 'ada' },

  { route: 'POST /accounts/{account_id}/service-accounts', as: 'ada', body: { name: 'bench-sync' } },
  { route: 'GET /accounts/{account_id}/service-accounts', as: 'ada' },
  { route: `GET ${serviceAccount}`, as: 'ada' },
  { route: `PATCH ${serviceAccount}`, as: 'ada', body: { description: 'Measured' } },
  { route: `GET ${serviceAccount}/client-settings`, as: 'ada' },
  { route: `PUT ${serviceAccount}/grants/{repository_id}`, as: 'ada', body: { access: 'read' }, note: 'new' },
  { route: `PUT ${serviceAccount}/grants/{repository_id}`, as: 'ada', body: { access: 'read_write' }, note: 'changed' },
  { route: `GET ${serviceAccount}/grants`, as: 'ada' },
  {
    route: `POST ${serviceAccount}/trusted-workflows`,
    as: 'ada',
    body: { repository: 'bench-institute/pipelines', branch: 'main' },
  },
  { route: `GET ${serviceAccount}/trusted-workflows`, as: 'ada' },
  { route: `DELETE ${serviceAccount}/trusted-workflows/{workflow_id}`, as: 'ada' },
  { ...issueKey, note: 'first' },
  { route: 'POST /service-account-keys/revocations', as: 'anyone', body: ({ key }: Names) => ({ key }), note: 'live' },
  { route: 'POST /service-account-keys/revocations', as: 'anyone', body: ({ key }: Names) => ({ key }), note: 'again' },
  { ...issueKey, note: 'second' },
  {
    route: 'POST /service-account-keys/revocations/batch',
    as: 'anyone',
    body: ({ key }: Names) => ({ keys: [key] }),
    note: 'of one',
  },
  { ...issueKey, note: 'third' },
  { route: `GET ${serviceAccount}/keys`, as: 'ada' },
  { route: `PUT ${serviceAccount}/keys/{key_id}/expiry`, as: 'ada', body: { expiry: '1y' } },
  { route: `DELETE ${serviceAccount}/keys/{key_id}`, as: 'ada' },
  { route: `POST ${serviceAccount}/disable`, as: 'ada' },
  { route: `POST ${serviceAccount}/enable`, as: 'ada' },
  { route: `DELETE ${serviceAccount}/grants/{repository_id}`, as: 'ada' },
  { route: `DELETE ${serviceAccount}`, as: 'ada' },

  { route: 'GET /accounts/{account_id}/audit-events', as: 'ada' },
  { route: `DELETE ${repository}`, as: 'ada' },
  { route: `POST ${repository}/enable`, as: 'ada' },
  { route: `DELETE ${repository}`, as: 'ada', note: 'for good' },
  { route: `POST ${repository}/delete`, as: 'ada', body: { confirm: 'bench-institute/bench-repository' } },
  { route: 'DELETE /data-connections/{data_connection_id}', as: 'admin' },
  { route: 'DELETE /accounts/{account_id}', as: 'ada' },
  { route: 'POST /accounts/{account_id}/enable', as: 'ada' },
  { route: 'DELETE /accounts/{account_id}', as: 'ada', note: 'for good' },
  { route: 'POST /accounts/{account_id}/delete', as: 'ada', body: { confirm: 'bench-institute' } },
];
