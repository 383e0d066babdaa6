import { randomBytes } from 'node:crypto';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { expect } from './checks.ts';
import {
  type Answer,
  type Credentials,
  type Deployment,
  type ManagementClient,
  managementClient,
  s3Client,
} from './deployment.ts';

/**
 * The resources that a run of the verification creates in the account. Its two repositories stay in the account without
 * objects, for the next run.
 */
export interface Fixture {
  deployment: Deployment;
  user: ManagementClient;
  anyone: ManagementClient;
  openRepositoryId: string;
  privateRepositoryId: string;
  /** The prefix of all object keys of a verification run, in both of its repositories. */
  folder: string;
  serviceAccountId: string;
  key: string;
  /** An API key of the user. It signs requests for objects directly, without a credential exchange. */
  userCredentials: Credentials;
}

export type RepositoryClient = ReturnType<typeof repositoryClient>;

/**
 * Returns functions that request the objects of a verification run in one repository. Names are relative to the run's
 * folder.
 */
export function repositoryClient({ deployment, folder }: Fixture, credentials: Credentials, repositoryId: string) {
  const client = s3Client(deployment, credentials);
  const location = (name: string) => ({ Bucket: deployment.accountId, Key: `${repositoryId}/${folder}${name}` });
  return {
    client,
    location,
    path: (name: string) =>
      `/${[deployment.accountId, ...location(name).Key.split('/')].map(encodeURIComponent).join('/')}`,
    put: (name: string, Body: NonNullable<PutObjectCommandInput['Body']>, more: Partial<PutObjectCommandInput> = {}) =>
      client.send(new PutObjectCommand({ ...location(name), Body, ...more })),
    head: (name: string) => client.send(new HeadObjectCommand(location(name))),
    read: async (name: string, Range?: string) => {
      const { Body } = await client.send(new GetObjectCommand({ ...location(name), Range }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
  };
}

const repositories = [
  { repository_id: 'sluice-verify-open', data_mode: 'open' },
  { repository_id: 'sluice-verify-private', data_mode: 'private' },
] as const;

/**
 * Creates the resources that the verification uses. Registers the cleanup of each resource as soon as the resource
 * exists, so that a run that fails leaves no resources behind.
 *
 * @throws Error with the request that was refused, and the reason
 */
export async function makeFixture(
  deployment: Deployment,
  onUndo: (name: string, undo: () => Promise<string>) => void,
): Promise<Fixture> {
  const { accountId, userToken } = deployment;
  const user = managementClient(deployment, userToken);
  const session = await ask(user, 200, 'GET', '/whoami');
  const userId = session.account?.account_id;
  expect(typeof userId === 'string', 'the user of SLUICE_VERIFY_USER_TOKEN has no account yet: create one first');
  await makeRepositories(user, deployment);
  const run = randomBytes(4).toString('hex');
  const folder = `run-${run}/`;

  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const apiKey = await ask(user, 201, 'POST', `/accounts/${userId}/api-keys`, { name: `verify ${run}`, expires });
  onUndo('revoke the API key', async () => {
    await ask(user, 200, 'DELETE', `/api-keys/${apiKey.access_key_id}`);
    return apiKey.access_key_id;
  });
  const userCredentials = { accessKeyId: apiKey.access_key_id, secretAccessKey: apiKey.secret_access_key };
  onUndo('delete the objects', () => emptyFolders(deployment, userCredentials, folder));

  const account = await ask(user, 201, 'POST', `/accounts/${accountId}/service-accounts`, { name: `verify-${run}` });
  const serviceAccountId: string = account.service_account_id;
  onUndo('delete the service account', async () => {
    await ask(user, 204, 'DELETE', `/service-accounts/${serviceAccountId}`);
    return serviceAccountId;
  });
  const below = `/service-accounts/${serviceAccountId}`;
  for (const { repository_id } of repositories) {
    await ask(user, 201, 'PUT', `${below}/grants/${repository_id}`, { access: 'read_write' });
  }
  const { key } = await ask(user, 201, 'POST', `${below}/keys`, { label: 'verify', expiry: '30d' });
  return {
    deployment,
    user,
    anyone: managementClient(deployment),
    openRepositoryId: repositories[0].repository_id,
    privateRepositoryId: repositories[1].repository_id,
    folder,
    serviceAccountId,
    key,
    userCredentials,
  };
}

async function makeRepositories(user: ManagementClient, deployment: Deployment): Promise<void> {
  const { accountId } = deployment;
  for (const { repository_id, data_mode } of repositories) {
    const found = await user('GET', `/repositories/${accountId}/${repository_id}`);
    if (found.status === 200) {
      expect(!found.body.disabled, `the repository ${repository_id} is disabled: ask an admin to enable it`);
      const connectionId = found.body.data.primary_mirror;
      expect(
        (deployment.dataConnectionId ?? connectionId) === connectionId,
        `the repository ${repository_id} is on ${connectionId}: to verify another data connection, name another account`,
      );
      continue;
    }
    const data_connection_id = deployment.dataConnectionId ?? (await findConnection(user));
    const description = 'Empty but while a deployment is verified';
    const meta = { title: 'Verification', description, tags: 'verification' };
    const created = { repository_id, data_mode, meta, data_connection_id };
    await ask(user, 201, 'POST', `/repositories/${accountId}`, created);
  }
}

async function findConnection(user: ManagementClient): Promise<string> {
  const connections: { data_connection_id: string; read_only: boolean; allowed_data_modes: string[] }[] = await ask(
    user,
    200,
    'GET',
    '/data-connections/available',
  );
  const usable = connections.find(
    ({ read_only, allowed_data_modes }) =>
      !read_only && repositories.every(({ data_mode }) => allowed_data_modes.includes(data_mode)),
  );
  expect(
    usable !== undefined,
    'no data connection of the user allows open and private data: create one, or name it in SLUICE_VERIFY_CONNECTION',
  );
  return usable.data_connection_id;
}

async function emptyFolders(deployment: Deployment, credentials: Credentials, folder: string): Promise<string> {
  const client = s3Client(deployment, credentials);
  const Bucket = deployment.accountId;
  let count = 0;
  for (const { repository_id } of repositories) {
    const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: `${repository_id}/${folder}` });
    for await (const { Contents = [] } of pages) {
      const Objects = Contents.map(({ Key }) => ({ Key }));
      if (Objects.length === 0) continue;
      const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      expect(
        Errors.length === 0,
        `${Errors.length} objects below ${repository_id}/${folder} are left: ${Errors[0]?.Code}`,
      );
      count += Objects.length;
    }
  }
  return `${count} objects`;
}

async function ask(
  client: ManagementClient,
  status: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer['body']> {
  const answer = await client(method, path, body);
  const detail = typeof answer.body?.detail === 'string' ? `: ${answer.body.detail}` : '';
  const advice = answer.status === 401 ? '. Set SLUICE_VERIFY_USER_TOKEN to a new token: it expires after an hour' : '';
  expect(answer.status === status, `${method} ${path} answered ${answer.status}${detail}${advice}`);
  return answer.body;
}
