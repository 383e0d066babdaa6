import { beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service/test-service.ts';

const origin = 'https://app.example.org';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ corsOrigins: [origin] });
  return () => service.close();
});

const preflight = (path: string, from: string) =>
  fetch(`${service.apiUrl}/api/v1${path}`, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type',
    },
  });

describe('a browser with a page of a configured origin', () => {
  // The gateway sends preflight requests for unknown paths to the function.
  test.each(['/accounts/ada/profile', '/accounts', '/nothing-here'])('may send its request to %s', async (path) => {
    const { ok, headers } = await preflight(path, origin);
    expect(ok).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': 'authorization,content-type,idempotency-key,if-match,if-none-match',
      'access-control-max-age': '3600',
    });
  });

  test('reads the answer, its next page and the URL of what it made', async () => {
    const { headers } = await fetch(`${service.apiUrl}/api/v1/repositories`, { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toBe('etag,link,location,retry-after,x-total-count');
  });

  test('is told that there is no such route when it asks without the question of a preflight', async () => {
    const { status } = await fetch(`${service.apiUrl}/api/v1/accounts`, { method: 'OPTIONS', headers: { origin } });
    expect(status).toBe(404);
  });
});

test('a page of any other origin may send and read nothing', async () => {
  const elsewhere = 'https://app.example.org.evil.example';
  const answers = [
    await preflight('/accounts', elsewhere),
    await fetch(`${service.apiUrl}/api/v1/repositories`, { headers: { origin: elsewhere } }),
  ];
  for (const { headers } of answers) {
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});
