import { Sha256 } from '@aws-crypto/sha256-js';
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromWebToken } from '@aws-sdk/credential-providers';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect, test } from 'vitest';
import { limits } from '../../lib/domain/limits.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { account, made } from '../functions/users.ts';
import { exchangeConfig, region, roleArn, s3Client } from '../service/data-clients.ts';
import { seededService } from '../service/seeded-service.ts';

/** S3 accepts keys of 1,024 bytes. Behind the proxy, the IDs of account and repository need some of them. */
const longestKey = 'é'.repeat((1024 - 82) / 2);
const longestMetadata = 'm'.repeat(2048 - 'all'.length);

const service = await seededService();

test('requests with names of maximum length stay within the limits of CloudFront', async () => {
  const ada = await service.user('ada');
  const [organization, name, repository_id] = ['o', 'n', 'r'].map((letter) => letter.repeat(40));
  const serviceAccountId = `${organization}--${name}`;
  await made(ada('POST', '/accounts', account(String(organization), 'organization')));
  const meta = { title: 'T', description: 'D', tags: '' };
  const { data_connection_id } = seedNames;
  await made(
    ada('POST', `/repositories/${organization}`, { repository_id, data_mode: 'private', meta, data_connection_id }),
  );
  await made(ada('POST', `/accounts/${organization}/service-accounts`, { name }));
  const path = `/service-accounts/${serviceAccountId}`;
  await made(ada('PUT', `${path}/grants/${repository_id}`, { access: 'read_write' }));
  const { key } = (await made(ada('POST', `${path}/keys`, { label: 'a key', expiry: 'never' }))).body;

  const credentials = await fromWebToken({
    roleArn: roleArn('FullAccess', serviceAccountId),
    roleSessionName: 's'.repeat(64),
    durationSeconds: limits.sessionDurationMaxSeconds,
    webIdentityToken: key,
    clientConfig: exchangeConfig(service),
  })();
  const { sessionToken = '' } = credentials;
  expect(sessionToken.length).toBeGreaterThan(300);
  expect(sessionToken.length).toBeLessThan(600);
  const sts = new STSClient({ ...exchangeConfig(service), credentials });
  expect((await sts.send(new GetCallerIdentityCommand({}))).Account).toBe(serviceAccountId);

  const s3 = s3Client(service, credentials);
  const place = { Bucket: organization, Key: `${repository_id}/${longestKey}` };
  await s3.send(new PutObjectCommand({ ...place, Body: 'long', Metadata: { all: longestMetadata } }));
  const { Metadata } = await s3.send(new HeadObjectCommand(place));
  expect(Metadata).toEqual({ all: longestMetadata });

  const signer = new SignatureV4({ credentials, region, service: 's3', sha256: Sha256, uriEscapePath: false });
  const { host, hostname, port } = new URL(service.dataUrl);
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol: 'http:',
      hostname,
      port: Number(port),
      path: `/${organization}/${repository_id}/${encodeURIComponent(longestKey)}`,
      headers: { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    },
    { expiresIn: 3600 },
  );
  const query = new URLSearchParams(signed.query as Record<string, string>);
  const answer = await fetch(`${service.dataUrl}${signed.path}?${query}`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('long');
});
