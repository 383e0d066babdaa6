import type { Operation } from '../../../lib/operations/operation.ts';
import { startSeededService } from '../../service/seeded-service.ts';
import { userToken } from '../../service/user-tokens.ts';
import {
  type ExampleRequest,
  type ExampleRun,
  examplePath,
  operationsInOrder,
  startExampleRun,
} from '../example-run.ts';
import { Recording, sendTo } from './recording.ts';

const json = { 'content-type': 'application/json' };

/**
 * Records every operation: the status and code of its refusals, then its example. General refusals are recorded
 * completely.
 */
export async function recordManagement(): Promise<Recording> {
  const recording = new Recording();
  await recordExamples(recording);
  await recordGeneralAnswers(recording);
  return recording;
}

async function recordExamples(recording: Recording): Promise<void> {
  const run = await startExampleRun();
  try {
    for (const operation of operationsInOrder) {
      const example = await run.prepare(operation);
      const refusals = await refusalsOf(operation, example, run);
      if (refusals !== undefined) recording.addValue(`${operation.name}: refusals`, { refusals });
      const answer = await send(run, operation, example);
      if (answer.status === 201) run.remember(operation, JSON.parse(answer.body.toString()));
      recording.add(operation.name, answer);
    }
  } finally {
    await run.close();
  }
}

/**
 * Returns status and code of the example's request sent by other callers, for an unknown target, and with an empty
 * body.
 */
async function refusalsOf(operation: Operation, example: ExampleRequest, run: ExampleRun) {
  // If another caller sent this request, it would succeed and change data that the example needs.
  if (['anyone', 'authenticated'].includes(operation.permission.kind)) return undefined;
  const unknown = Object.keys(example.path).map((name) => [name, name.endsWith('_id') ? 'unknown-name' : 'unknown']);
  const variants: Record<string, ExampleRequest> = {
    anonymous: { ...example, authorization: undefined },
    stranger: { ...example, authorization: run.tokenOf('stranger') },
    ...(unknown.length > 0 && {
      unknownTarget: { ...example, authorization: run.tokenOf('admin'), path: Object.fromEntries(unknown) },
    }),
    ...(operation.body !== undefined && { emptyObject: { ...example, body: '{}' } }),
  };
  const answers = Object.entries(variants).map(async ([kind, request]) => {
    const { status, body } = await send(run, operation, request);
    const [, code] = /"code":"(\w+)"/.exec(body.toString()) ?? [];
    return [kind, code === undefined ? String(status) : `${status} ${code}`];
  });
  return Object.fromEntries(await Promise.all(answers));
}

function send({ service }: ExampleRun, operation: Operation, { path, body, authorization, headers }: ExampleRequest) {
  const sent = {
    ...headers,
    ...(body === undefined ? {} : json),
    ...(authorization === undefined ? {} : { authorization }),
  };
  return sendTo(service.apiUrl, operation.method, examplePath(operation, path), sent, body);
}

async function recordGeneralAnswers(recording: Recording): Promise<void> {
  const service = await startSeededService({ corsOrigins: ['https://console.example.org'] });
  try {
    const [ada, admin] = await Promise.all(['ada', 'admin'].map((name) => userToken(service, name)));
    const record = async (
      title: string,
      method: string,
      path: string,
      { by, body, ...headers }: Record<string, unknown> = {},
    ) => {
      const authorization: Record<string, string> =
        by === undefined ? {} : { authorization: `Bearer ${by === 'admin' ? admin : ada}` };
      const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const all = { ...(text === undefined ? {} : json), ...authorization, ...(headers as Record<string, string>) };
      const answer = await sendTo(service.apiUrl, method, `/api/v1${path}`, all, text);
      recording.add(title, answer);
      return answer;
    };
    const origin = 'https://console.example.org';
    const preflight = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'if-match' };
    const repositories = '/repositories/tide-institute';
    const gauges = `${repositories}/tide-gauges`;
    const serviceAccount = '/service-accounts/tide-institute--nightly-sync';
    const meta = { title: 'Gauges', description: 'Water levels', tags: 'tides' };
    const repository = {
      repository_id: 'new-gauges',
      data_mode: 'open',
      meta,
      data_connection_id: 'local-store',
    };

    await record('preflight', 'OPTIONS', '/whoami', preflight);
    await record('preflight from another origin', 'OPTIONS', '/whoami', {
      ...preflight,
      origin: 'https://other.example',
    });
    await record('response to an allowed origin', 'GET', '/whoami', { origin, by: 'ada' });
    await record('unknown route', 'GET', '/unknown', { by: 'ada' });
    await record('unknown method', 'PATCH', '/whoami', { by: 'ada' });
    await record('no credential', 'GET', '/whoami');
    await record('another scheme', 'GET', '/whoami', { authorization: 'Basic YTpi' });
    await record('key in the URL', 'POST', `/service-account-keys/revocations?key=${service.key}`, {
      body: { key: 'x' },
    });
    await record('malformed found key', 'POST', '/service-account-keys/revocations', { body: { key: 'sck_short' } });
    await record('body of another type', 'POST', repositories, { by: 'ada', body: 'a', 'content-type': 'text/plain' });
    await record('body that is no JSON', 'POST', repositories, { by: 'ada', body: '{' });
    await record('body that is too large', 'POST', repositories, {
      by: 'ada',
      body: JSON.stringify('a'.repeat(70_000)),
    });
    await record('fields that are missing', 'POST', repositories, { by: 'ada', body: {} });
    await record('fields that are not valid', 'POST', repositories, {
      by: 'ada',
      body: { ...repository, repository_id: 'A', data_mode: 'secret', meta: { ...meta, homepage: 'ftp://x' } },
    });
    await record('query that is not valid', 'GET', '/repositories/tide-institute?limit=0', { by: 'ada' });
    await record('cursor of another list', 'GET', '/repositories/tide-institute?cursor=1.abc', { by: 'ada' });
    await record('page of a list', 'GET', '/repositories/tide-institute?limit=1', { by: 'ada' });
    const created = { by: 'ada', body: repository, 'idempotency-key': 'one' };
    await record('create', 'POST', repositories, created);
    await record('create, repeated', 'POST', repositories, created);
    const other = { ...repository, repository_id: 'other-gauges' };
    await record('create, key used for another request', 'POST', repositories, { ...created, body: other });
    await record('repository that exists', 'POST', repositories, { by: 'ada', body: repository });
    await record('account that exists', 'POST', '/accounts', {
      by: 'admin',
      body: { account_id: 'tide-institute', account_type: 'organization', profile: {} },
    });
    await record('second account of a person', 'POST', '/accounts', {
      by: 'ada',
      body: { account_id: 'ada-two', account_type: 'user', profile: {} },
    });
    const shown = await record('repository', 'GET', gauges, { by: 'ada' });
    const etag = String(shown.headers['etag']);
    await record('repository that is unchanged', 'GET', gauges, { by: 'ada', 'if-none-match': etag });
    await record('headers only', 'HEAD', gauges, { by: 'ada' });
    const update = { by: 'ada', body: { meta, state: 'listed' } };
    await record('update of a stale version', 'PUT', gauges, { ...update, 'if-match': '"other"' });
    await record('update of the current version', 'PUT', gauges, { ...update, 'if-match': etag });
    await record('profile that anyone reads', 'GET', '/accounts/tide-institute/profile');
    await record('account of another user', 'GET', '/accounts/site-admin', { by: 'ada' });
    await record('workflow that is trusted', 'POST', `${serviceAccount}/trusted-workflows`, {
      by: 'ada',
      body: { repository: 'tide-institute/pipelines', branch: 'main' },
    });
    await record('workflow with a wildcard', 'POST', `${serviceAccount}/trusted-workflows`, {
      by: 'ada',
      body: { repository: 'tide-institute/*', branch: 'main' },
    });
    await record('API key that has expired', 'POST', '/accounts/ada/api-keys', {
      by: 'ada',
      body: { name: 'late', expires: '2001-01-01T00:00:00Z' },
    });
    const key = { by: 'ada', body: { label: 'b', expiry: '30d' }, 'idempotency-key': 'key' };
    await record('service-account key', 'POST', `${serviceAccount}/keys`, key);
    await record('service-account key, repeated', 'POST', `${serviceAccount}/keys`, key);
    await record('service account disabled', 'POST', `${serviceAccount}/disable`, { by: 'ada' });
    await record('key of a disabled service account', 'POST', `${serviceAccount}/keys`, { by: 'ada', body: key.body });
    const members = await record('members', 'GET', '/accounts/tide-institute/members', { by: 'ada' });
    const [{ membership_id }] = JSON.parse(members.body.toString());
    await record('last owner removed', 'POST', `/memberships/${membership_id}/revoke`, { by: 'ada' });
    await record('enabled account deleted', 'POST', '/accounts/tide-institute/delete', {
      by: 'ada',
      body: { confirm: 'tide-institute' },
    });
    await record('connection of the platform', 'GET', '/data-connections/local-store', { by: 'admin' });
    await record('connection without its credentials', 'GET', '/data-connections/local-store', { by: 'ada' });
  } finally {
    await service.close();
  }
}
