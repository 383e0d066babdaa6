import { isIP } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { type Checks, describeError, expect, expectEqual, Skipped } from './checks.ts';
import { type Deployment, managementClient } from './deployment.ts';

/**
 * Checks that the two URLs of the deployment answer, which protocols they support, and the form of their error
 * responses. Returns false if a URL does not answer as its service. No other check then makes sense.
 */
export async function checkReach(checks: Checks, deployment: Deployment): Promise<boolean> {
  const { apiUrl, dataUrl } = deployment;
  const anyone = managementClient(deployment);
  const check = checks.group('reach');
  await check('the management API is healthy', () =>
    checkHealth(apiUrl, '/health', 'Compare --api with the output ApiUrl of <name>-api-edge'),
  );
  await check('the data proxy is healthy', () =>
    checkHealth(dataUrl, '/.health', 'Compare --data with the output DataProxyUrl of <name>-edge'),
  );
  if (checks.results.some(({ outcome }) => outcome === 'fail')) return false;
  for (const url of [apiUrl, dataUrl]) {
    const { host } = new URL(url);
    await check(`TLS of ${host}`, () => negotiatedProtocol(url, { minVersion: 'TLSv1.2' }));
    await check(`TLS before 1.2 is refused by ${host}`, () => refusedOldProtocol(url));
  }
  await check('an unknown path of the API is a problem document', async () => {
    const { status, headers, body } = await anyone('GET', '/nothing-here');
    expectEqual(status, 404, 'the status');
    expect(
      headers.get('content-type')?.startsWith('application/problem+json') === true,
      'it is not a problem document',
    );
    expect(typeof body.request_id === 'string', 'it has no request_id');
    return body.detail;
  });
  await check('a session without identity is refused', async () => {
    expectEqual((await anyone('GET', '/whoami')).status, 401, 'the status');
    return '401';
  });
  await check('a refused exchange is XML that names its request', () => refusedExchange(dataUrl));
  await check('a key in a URL is refused on both hosts', async () => {
    const key = `sck_${'0'.repeat(36)}`;
    const answers = await Promise.all([
      fetch(`${apiUrl}/api/v1/service-account-keys/revocations?key=${key}`, { method: 'POST' }),
      fetch(`${dataUrl}/.sts?WebIdentityToken=${key}`, { method: 'POST' }),
    ]);
    for (const answer of answers) {
      const text = await answer.text();
      expect(
        text.includes('must be sent in the request body, not the URL'),
        `${new URL(answer.url).host}: ${answer.status}`,
      );
      expect(!text.includes(key), 'the refusal repeats the key');
    }
    return 'not repeated in the refusals';
  });
  return true;
}

async function checkHealth(url: string, path: string, advice: string): Promise<string> {
  try {
    const answer = await fetch(url + path);
    expectEqual(answer.status, 200, 'the status');
    expect((await answer.text()).includes('"status":"ok"'), 'the answer is of another service');
    return url;
  } catch (error) {
    throw new Error(`${describeError(error)}. ${advice}, or with your own host name`);
  }
}

async function refusedExchange(dataUrl: string): Promise<string> {
  const ids: string[] = [];
  // Check the path with and without a final slash, because SDKs send both forms. Some clients leave out the path.
  for (const path of ['/.sts', '/.sts/', '/']) {
    const answer = await fetch(dataUrl + path, { method: 'POST', body: new URLSearchParams({ Action: 'Nothing' }) });
    const text = await answer.text();
    expectEqual(answer.status, 400, `the status at ${path}`);
    const id = /<RequestId>([^<]+)<\/RequestId>/.exec(text)?.[1];
    expect(id !== undefined, `no <RequestId> in ${text.slice(0, 200)}`);
    expectEqual(answer.headers.get('x-amz-request-id'), id, `x-amz-request-id at ${path}`);
    ids.push(id);
  }
  return ids.join(' ');
}

/**
 * Checks that old TLS versions are refused. Under CloudFront's own domain names, old versions are always accepted, and
 * no setting can change this.
 */
export async function refusedOldProtocol(url: string): Promise<string> {
  // OpenSSL uses these old versions only at this security level.
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
  const negotiated = await negotiatedProtocol(url, old).catch((error: NodeJS.ErrnoException) => {
    // Only a TLS error shows that the server refuses a version. Other errors, such as those of DNS, do not.
    if (/^(?:ERR_SSL_|ECONNRESET$|EPROTO$)/.test(error.code ?? '')) return undefined;
    throw error;
  });
  if (negotiated === undefined) return 'TLS 1.1 is';
  if (new URL(url).hostname.endsWith('.cloudfront.net'))
    throw new Skipped('configure a custom domain: see apiDomain and dataDomain');
  throw new Error(`it accepted ${negotiated}`);
}

async function negotiatedProtocol(
  url: string,
  versions: Pick<ConnectionOptions, 'minVersion' | 'maxVersion' | 'ciphers'>,
): Promise<string> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') throw new Skipped('the URL is http');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const name = isIP(hostname) === 0 ? { servername: hostname } : {};
  const socket = connect({ host: hostname, port: Number(port || 443), ...name, ...versions });
  socket.setTimeout(10_000, () => socket.destroy(new Error('no answer within 10 s')));
  socket.once('secureConnect', () => {
    resolve(`${socket.getProtocol()}, certificate until ${socket.getPeerCertificate().valid_to}`);
    socket.end();
  });
  socket.once('error', reject);
  return promise;
}
