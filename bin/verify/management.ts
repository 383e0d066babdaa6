import { type Checks, expect, expectEqual, Skipped } from './checks.ts';
import { type Deployment, managementClient } from './deployment.ts';

/** Checks the layers in front of the management API: its distribution, its firewall, and its gateway. */
export async function checkManagement(checks: Checks, deployment: Deployment): Promise<void> {
  const { apiUrl, apiOriginUrl, origin, userToken } = deployment;
  const check = checks.group('api');
  const user = managementClient(deployment, userToken);

  await check('a body of more than 64 KiB is refused as a problem document', async () => {
    const { status, body } = await managementClient(deployment)('POST', '/service-account-keys/revocations', {
      key: 'x'.repeat(66_000),
    });
    expectEqual([status, body.status], [413, 413], 'the status');
    return body.detail;
  });
  await check('lists come in pages', async () => {
    const { status, headers, body } = await user('GET', `/accounts/${deployment.accountId}/audit-events?limit=1`);
    expectEqual([status, body.length], [200, 1], 'the status and the length');
    const next = /<([^<>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    expect(next !== undefined, 'no Link to the next page');
    const { status: nextStatus } = await user('GET', next.replace(/^.*\/api\/v1/, ''));
    expectEqual(nextStatus, 200, 'the status of the next page');
    return 'by the Link header';
  });
  await check('browsers of a configured origin may call it', async () => {
    if (origin === undefined) throw new Skipped('set SLUICE_VERIFY_ORIGIN to one of corsOrigins');
    const preflight = await askFirst(apiUrl, origin);
    expect(preflight.ok, `the preflight answered ${preflight.status}`);
    const allowed = preflight.headers.get('access-control-allow-headers') ?? '';
    expect(/authorization/i.test(allowed), `the preflight allows ${allowed || 'no headers'}`);
    const answer = await fetch(`${apiUrl}/api/v1/repositories`, { headers: { origin } });
    for (const { headers } of [preflight, answer]) {
      expectEqual(headers.get('access-control-allow-origin'), origin, 'access-control-allow-origin');
    }
    return origin;
  });
  await check('browsers of any other origin may not call it', async () => {
    const { headers } = await askFirst(apiUrl, 'https://verify.example');
    expectEqual(headers.get('access-control-allow-origin'), null, 'access-control-allow-origin');
    return 'no access-control-allow-origin';
  });
  await check('its own URL refuses requests that bypass the distribution', async () => {
    if (apiOriginUrl === undefined) {
      throw new Skipped('set SLUICE_VERIFY_API_ORIGIN to https://<ApiId>.execute-api.<homeRegion>.amazonaws.com');
    }
    for (const headers of [{}, { 'x-sluice-origin': 'a'.repeat(64) }]) {
      const { status } = await fetch(`${apiOriginUrl}/health`, { headers });
      expect(status === 401 || status === 403, `it answered ${status}`);
    }
    return 'neither without its secret nor with another';
  });
}

/** Sends a CORS preflight, as a browser does before a request with a token. */
function askFirst(apiUrl: string, origin: string): Promise<Response> {
  return fetch(`${apiUrl}/api/v1/accounts`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
}
