import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect, test } from 'vitest';
import { routePath } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { signIn } from '../../service/data-clients.ts';
import { expectProblem } from '../../service/error-answers.ts';
import { seededService } from '../../service/seeded-service.ts';

const service = await seededService();
const credentials = await signIn(service, service.key);

const needIdentity = registry.filter(
  ({ permission, ignoresAuthorization }) => permission.kind !== 'anyone' && !ignoresAuthorization,
);

const detail =
  'The Authorization header is not valid; sign in and send "Authorization: Bearer <token>", or an API key as "Authorization: <access_key_id> <secret_access_key>"';

/** Every way in which a client could present session credentials to the management API. */
const presented: [
  string,
  (url: string, method: string, body: string | undefined) => Promise<Record<string, string>>,
][] = [
  ['as an API key', async () => ({ authorization: `${credentials.accessKeyId} ${credentials.secretAccessKey}` })],
  ['as a bearer token', async () => ({ authorization: `Bearer ${credentials.sessionToken}` })],
  ['as a signature', sign],
  ['as the key that they came from', async () => ({ authorization: `Bearer ${service.key}` })],
];

test.each(presented)('credentials of the exchange manage nothing: %s', async (_, present) => {
  expect(needIdentity.length).toBeGreaterThan(40);
  for (const operation of needIdentity) {
    const path = routePath(operation).replace(
      /\{(\w+)\}/g,
      (_match, name: string) => operation.example?.path?.[name] ?? '',
    );
    const body = operation.body === undefined ? undefined : JSON.stringify(operation.example?.body);
    const url = service.apiUrl + path;
    const headers = await present(url, operation.method, body);
    const answer = await service.anyone(operation.method, url, body, headers);
    expectProblem(answer, { status: 401, code: 'unauthenticated', detail });
  }
});

async function sign(url: string, method: string, body: string | undefined): Promise<Record<string, string>> {
  const { host, hostname, pathname } = new URL(url);
  const signer = new SignatureV4({ credentials, region: 'us-east-1', service: 'execute-api', sha256: Sha256 });
  const signed = await signer.sign({
    method,
    protocol: 'http:',
    hostname,
    path: pathname,
    headers: { host },
    ...(body === undefined ? {} : { body }),
  });
  const { host: _host, ...headers } = signed.headers;
  return headers;
}
