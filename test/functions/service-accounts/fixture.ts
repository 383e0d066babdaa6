import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { fromWebToken } from '@aws-sdk/credential-providers';
import { expect } from 'vitest';
import type { LocalServiceOptions } from '../../../lib/local/service-options.ts';
import { type Credentials, ciToken, exchangeConfig, s3Client } from '../../service/data-clients.ts';
import { type SeededService, seededService } from '../../service/seeded-service.ts';
import type { Client } from '../../service/test-service.ts';
import { lookAtTable, type TableItems } from '../table-items.ts';
import { made } from '../users.ts';

/** A seeded service with ada, who owns its organization, and the clients of service accounts that ada creates. */
export interface ServiceAccountFixture extends SeededService {
  ada: Client;
  table: TableItems;
  /** Creates a service account with `read_write` on the private repository. */
  newServiceAccount(): Promise<NewServiceAccount>;
  /** Exchanges a key or a CI token. Rejects with the error that the SDK reads. */
  exchange(token: string, options?: { serviceAccountId?: string; role?: string }): Promise<Credentials>;
  /** Returns a CI token for a run on the branch, with the given claims. */
  runOn(branch: string, claims?: Record<string, string>): Promise<string>;
  write(credentials: Credentials, repositoryId?: string): Promise<unknown>;
  read(credentials: Credentials, repositoryId?: string): Promise<unknown>;
  /** Moves the clock of the service, which its clients also use to sign requests. */
  pass(seconds: number): void;
}

export interface NewServiceAccount {
  id: string;
  path: string;
  /** The internal ID of the service account, which the API never shows. */
  uid: string;
  issueKey(expiry?: string): Promise<{ key: string; key_id: string; created_at: string }>;
}

export const organization = 'tide-institute';
export const privateRepository = 'raw-drafts';
export const ciRepository = 'tide-institute/pipelines';
export const day = 86_400;

const placeIn = (repositoryId: string) => ({ Bucket: organization, Key: `${repositoryId}/reading` });

/** Starts the service for the tests of this file, or of the test that calls it. */
export async function serviceAccountFixture(options: LocalServiceOptions = {}): Promise<ServiceAccountFixture> {
  const table = lookAtTable();
  const service = await seededService({ tableName: table.tableName, ...options });
  const ada = await service.user('ada');
  let passedSeconds = 0;
  let accounts = 0;
  const fixture: ServiceAccountFixture = {
    ...service,
    ada,
    table,
    async newServiceAccount() {
      accounts += 1;
      const name = `account-${accounts}`;
      const { body } = await made(ada('POST', `/accounts/${organization}/service-accounts`, { name }));
      const id: string = body.service_account_id;
      const path = `/service-accounts/${id}`;
      await made(ada('PUT', `${path}/grants/${privateRepository}`, { access: 'read_write' }));
      const item = await table.find(`ACCOUNT#${id}`, 'ACCOUNT');
      return {
        id,
        path,
        uid: String(item?.['uid']),
        issueKey: async (expiry = '30d') => (await made(ada('POST', `${path}/keys`, { label: 'a key', expiry }))).body,
      };
    },
    exchange: (token, { serviceAccountId = `${organization}--any`, role = 'FullAccess' } = {}) =>
      fromWebToken({
        roleArn: `arn:aws:iam::${serviceAccountId}:role/${role}`,
        roleSessionName: 'test',
        webIdentityToken: token,
        clientConfig: exchangeConfig(service),
      })(),
    runOn: (branch, claims = {}) =>
      ciToken(service, { sub: `repo:${ciRepository}:ref:refs/heads/${branch}`, ...claims }),
    write: (credentials, repositoryId = privateRepository) =>
      s3Client(service, credentials, passedSeconds).send(
        new PutObjectCommand({ ...placeIn(repositoryId), Body: 'a reading' }),
      ),
    read: async (credentials, repositoryId = privateRepository) => {
      const client = s3Client(service, credentials, passedSeconds);
      return (await client.send(new GetObjectCommand(placeIn(repositoryId)))).Body?.transformToString();
    },
    pass: (seconds) => {
      passedSeconds += seconds;
      service.advance(seconds);
    },
  };
  return fixture;
}

export const keyRefused = {
  name: 'InvalidIdentityTokenException',
  message: expect.stringMatching(/^API key was not accepted \(request id [\w-]+\)$/),
  $metadata: expect.objectContaining({ httpStatusCode: 400 }),
};

export const workflowRefused = {
  name: 'AccessDenied',
  message: expect.stringMatching(/^Not authorized to perform sts:AssumeRoleWithWebIdentity \(request id [\w-]+\)$/),
  $metadata: expect.objectContaining({ httpStatusCode: 403 }),
};

export const objectRefused = {
  name: 'AccessDenied',
  $metadata: expect.objectContaining({ httpStatusCode: 403 }),
};
