import { revokedLinkIds } from '../../lib/operations/example-values.ts';
import type { Operation } from '../../lib/operations/operation.ts';
import { routePath } from '../../lib/operations/operation.ts';
import { registry } from '../../lib/operations/registry.ts';
import { endWalks } from '../functions/repository-jobs.ts';
import { makeReady } from '../functions/versions-of-repositories.ts';
import { startDataCite } from '../service/datacite.ts';
import { startPartner } from '../service/scanning-partner.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { userToken } from '../service/user-tokens.ts';

const basicCreates = ['create-account', 'create-data-connection', 'create-repository', 'create-service-account'];

const readyVersionOperations = [
  'get-version-citation',
  'update-version-doi',
  'register-version-doi',
  'verify-version',
  'withdraw-version',
];

/** Every documented operation, ordered so that each example succeeds: first creations, then changes, then deletions. */
export const operationsInOrder = registry
  .filter(({ method }) => method !== 'ANY')
  .toSorted((a, b) => rankOf(a) - rankOf(b));

function rankOf({ name, kind, method }: Operation): number {
  if (basicCreates.includes(name)) return basicCreates.indexOf(name);
  if (kind === 'create') return 10;
  // The API shows no versions of a disabled repository.
  if (readyVersionOperations.includes(name)) return 31 + readyVersionOperations.indexOf(name);
  // A read-only data connection can store no new version.
  if (name === 'restore-repository') return 36;
  if (name.startsWith('enable-')) return 50;
  // A disabled account creates no links.
  if (name.endsWith('-link') && method === 'DELETE') return 39;
  if (name.startsWith('delete-')) return 60;
  // This operation moves the repository out of the account that the other examples use.
  if (name === 'accept-transfer') return 70;
  if (/^(?:revoke|remove|disable|unblock|withdraw)-/.test(name)) return 40;
  return method === 'GET' ? 30 : 20;
}

type User = 'admin' | 'ada' | 'grace' | 'edith' | 'stranger';

/** Returns the user whose request succeeds, or undefined for an operation that ignores credentials. */
function userFor({ name, permission, ignoresAuthorization, example }: Operation): User | undefined {
  if (ignoresAuthorization) return undefined;
  if (name === 'accept-membership' || name === 'accept-transfer') return 'grace';
  if (name === 'reject-membership' || name === 'delete-account') return 'edith';
  if (name === 'accept-invitation-link') return 'stranger';
  const ofPlatform = permission.kind === 'data_connection' && example?.path?.['data_connection_id'] === 'ocean-store';
  const isForAdmins =
    ofPlatform ||
    permission.kind === 'admin' ||
    (permission.kind === 'account' && !['owners', undefined].includes(permission.rule.organization[0]));
  return isForAdmins ? 'admin' : 'ada';
}

/** Fields with values that the service chooses: IDs, and the secrets of links. */
const chosenIds = [
  'membership_id',
  'invitation_link_id',
  'link_id',
  'secret',
  'access_key_id',
  'key_id',
  'workflow_id',
  'issuer_id',
  'transfer_id',
  'deletion_id',
];

/** The request of an example, with the IDs of this run. */
export interface ExampleRequest {
  authorization: string | undefined;
  path: Readonly<Record<string, string>>;
  body: string | undefined;
  headers: Readonly<Record<string, string>>;
}

export interface ExampleRun {
  service: TestService;
  /** Returns the bearer token of a user. */
  tokenOf(user: User): string;
  /** Prepares the data that an operation's example needs, and returns its request. */
  prepare(operation: Operation): Promise<ExampleRequest>;
  /** Records the IDs of a created resource for later requests. */
  remember(operation: Operation, created: unknown): void;
  close(): Promise<void>;
}

/** Starts a service on the date in the examples, with the users that send them. */
export async function startExampleRun(tableName?: string): Promise<ExampleRun> {
  const [partner, dataCite] = [await startPartner(), await startDataCite()];
  const service = await startTestService({
    dataCite: dataCite.setting,
    secretScanningKeysUrl: partner.keysUrl,
    ...(tableName === undefined ? {} : { tableName }),
  });
  const tokens = new Map<User, string>();
  const realIds = new Map<string, string>();
  for (const name of ['admin', 'ada', 'grace', 'edith', 'stranger'] as const) {
    tokens.set(name, `Bearer ${await userToken(service, name)}`);
  }
  const tokenOf = (user: User) => tokens.get(user) ?? '';
  // Tokens of users follow the machine's clock. All other parts use the date of the examples.
  service.advance((Date.parse('2026-08-03T09:30:00Z') - Date.now()) / 1000);
  for (const [name, authorization] of tokens) {
    const account_id = name === 'admin' ? 'site-admin' : name;
    await succeed(authorization, 'POST', '/accounts', { account_id, account_type: 'user', profile: {} });
  }
  await succeed(tokenOf('admin'), 'PUT', '/accounts/ada/flags', ['create_organizations']);

  const prepared = new Set<string>();
  return {
    service,
    tokenOf,
    async prepare(operation) {
      await prepareState(operation.name);
      const { example } = operation;
      const user = userFor(operation);
      const body = example?.body === undefined ? undefined : JSON.stringify(example.body, realSecret);
      return {
        authorization: user && tokens.get(user),
        path: Object.fromEntries(
          Object.entries(example?.path ?? {}).map(([parameter, value]) => [parameter, realIds.get(value) ?? value]),
        ),
        body,
        headers: operation.signedBody === undefined ? {} : partner.headers(body ?? ''),
      };
    },
    remember: ({ example }, created) => rememberIds(example?.response, created),
    async close() {
      await service.close();
      await partner.close();
      await dataCite.close();
    },
  };

  async function prepareState(name: string): Promise<void> {
    const isRepeated = prepared.has(name);
    prepared.add(name);
    const version = '/repositories/tide-institute/tide-gauges/versions/2026-08';
    if (readyVersionOperations.includes(name)) {
      const shown = (await asAda('GET', version)) as { version_uid: string; state: string };
      if (shown.state === 'freezing') await makeReady(service, shown);
    }
    if (name === 'register-version-doi') {
      // Earlier examples have set a DOI and made the repository private. Undo both changes.
      await asAda('PUT', `${version}/doi`, { doi: '' });
      await asAda('PUT', '/repositories/tide-institute/tide-gauges/data-mode', { data_mode: 'open' });
    }
    if (name === 'get-file-deletion' || name === 'stop-file-deletion') {
      const repository_id = `${isRepeated ? 'older' : 'old'}-gauges-${name.split('-')[0]}`;
      const documented = registry.find((operation) => operation.name === 'create-repository')?.example?.body as object;
      await asAda('POST', '/repositories/tide-institute', { ...documented, repository_id });
      await asAda('POST', `/repositories/tide-institute/${repository_id}/disable`);
      const confirmed = { confirm: `tide-institute/${repository_id}`, delete_files: true };
      const deleted = await asAda('POST', `/repositories/tide-institute/${repository_id}/delete`, confirmed);
      rememberIds(exampleResponse(name), (deleted as { file_deletion: unknown }).file_deletion);
    }
    // A request during an inventory walk changes nothing.
    if (name === 'request-inventory') await endWalks(service);
    if (name === 'reject-membership') {
      const invitation = { account_id: 'edith', role: 'read_data' };
      const invited = await asAda('POST', '/accounts/tide-institute/members', invitation);
      rememberIds(exampleResponse(name), invited);
    }
    if (name === 'delete-account-invitation-link') {
      const link = await asAda('POST', '/accounts/tide-institute/invitation-links', { role: 'read_data' });
      rememberIds({ invitation_link_id: revokedLinkIds.account }, link);
    }
    const gauges = '/repositories/tide-institute/tide-gauges';
    if (name === 'restore-repository') {
      await asAda('POST', `${gauges}/versions`, { name: 'later' });
      await asAda('POST', `${gauges}/disable`);
      await asAda('POST', `${gauges}/delete`, { confirm: 'tide-institute/tide-gauges', withdraw_versions: true });
    }
    // A restored repository is disabled.
    if (name === 'disable-repository' && !isRepeated) await asAda('POST', `${gauges}/enable`);
    if (name === 'delete-repository') {
      await makeReady(service, (await asAda('GET', `${gauges}/versions/later`)) as { version_uid: string });
      await asAda('POST', `${gauges}/versions/later/withdraw`, { reason: 'The gauge was broken' });
      await asAda('POST', `${gauges}/disable`);
    }
    if (name === 'decline-transfer') await offerRepository(name, 'ada');
    if (name === 'accept-transfer') {
      // An account receives at most three invitations and transfer offers a day from one other account, and grace has
      // received three.
      service.advance(25 * 3600);
      const documented = registry.find((operation) => operation.name === 'create-repository')?.example?.body as object;
      // The deleted repository had versions, so its ID is never given to another one.
      const repository_id = 'tide-buoys';
      await asAda('POST', '/repositories/tide-institute', { ...documented, repository_id, data_mode: 'private' });
      await offerRepository(name, 'grace', repository_id);
    }
  }

  async function offerRepository(name: string, to: string, repository_id = 'tide-gauges'): Promise<void> {
    rememberIds(
      exampleResponse(name),
      await asAda('POST', `/repositories/tide-institute/${repository_id}/transfers`, { to }),
    );
  }

  function realSecret(name: string, value: unknown): unknown {
    return name === 'secret' ? (realIds.get(String(value)) ?? value) : value;
  }

  function asAda(method: string, path: string, body?: unknown): Promise<unknown> {
    return succeed(tokenOf('ada'), method, path, body);
  }

  async function succeed(authorization: string, method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await service.withAuthorization(authorization)(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  function rememberIds(documented: unknown, received: unknown): void {
    for (const name of chosenIds) {
      const [before, after] = [documented, received].map(
        (value) => (value as Record<string, string> | undefined)?.[name],
      );
      if (before !== undefined && after !== undefined) realIds.set(before, after);
    }
  }
}

function exampleResponse(name: string): unknown {
  return registry.find((operation) => operation.name === name)?.example?.response;
}

/** Returns the path and query of an operation with these path parameters. */
export function examplePath(operation: Operation, path: Readonly<Record<string, string>>): string {
  const filled = routePath(operation).replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  const { query } = operation.example ?? {};
  return query === undefined ? filled : `${filled}?${new URLSearchParams(query)}`;
}
