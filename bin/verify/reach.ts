import { connect } from 'node:tls';
import { type Checks, expect, expectEqual, Skipped } from './checks.ts';
import { type Deployment, managementClient } from './deployment.ts';

/** Whether both addresses answer, how they are reached, and the shape of their refusals. */
export async function checkReach(checks: Checks, deployment: Deployment): Promise<void> {
  const { apiUrl, dataUrl } = deployment;
  const anyone = managementClient(deployment);
  const group = 'reach';
  await checks.check(group, 'the management API is healthy', async () => {
    expectEqual((await anyone('GET', '/health')).status, 200, 'the status');
    return apiUrl;
  });
  await checks.check(group, 'the data proxy is healthy', async () => {
    expectEqual((await fetch(`${dataUrl}/.health`)).status, 200, 'the status');
    return dataUrl;
  });
  for (const url of [apiUrl, dataUrl]) {
    await checks.check(group, `TLS of ${new URL(url).host}`, () => negotiatedProtocol(url));
  }
  await checks.check(group, 'an unknown address of the API is a problem document', async () => {
    const { status, headers, body } = await anyone('GET', '/nothing-here');
    expectEqual(status, 404, 'the status');
    expect(headers.get('content-type')?.startsWith('application/problem+json') === true, 'it is no problem document');
    expect(typeof body.request_id === 'string', 'it has no request_id');
    return body.detail;
  });
  await checks.check(group, 'a session without identity is refused', async () => {
    expectEqual((await anyone('GET', '/whoami')).status, 401, 'the status');
    return '401';
  });
  await checks.check(group, 'a key in a URL is refused on both hosts', async () => {
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
}

async function negotiatedProtocol(url: string): Promise<string> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') throw new Skipped('the address is http');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, minVersion: 'TLSv1.2' });
  socket.setTimeout(10_000, () => socket.destroy(new Error('no answer within 10 s')));
  socket.once('secureConnect', () => {
    resolve(`${socket.getProtocol()}, certificate until ${socket.getPeerCertificate().valid_to}`);
    socket.end();
  });
  socket.once('error', reject);
  return promise;
}
