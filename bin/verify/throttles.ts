import { issueServiceAccountKey } from '../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../lib/lambda/random.ts';
import { type Check, type Checks, Skipped } from './checks.ts';
import type { Deployment } from './deployment.ts';

const requestsMax = 2000;
const atOnce = 20;

/**
 * Sends unknown keys until the service throttles the requests. The service then throttles other clients with the same
 * IP address as well.
 */
export async function checkThrottles(checks: Checks, { apiUrl, dataUrl, triesThrottles }: Deployment): Promise<void> {
  const group = checks.group('throttles');
  const check: Check = (name, run) =>
    group(name, async () => {
      if (triesThrottles !== true)
        throw new Skipped('add --throttles; your IP address is refused for five minutes then');
      return run();
    });
  const key = issueServiceAccountKey(systemRandom);

  await check('repeated sign-ins with one key are throttled', () =>
    askUntil(400, '<Code>Throttling</Code>', () =>
      fetch(`${dataUrl}/.sts`, {
        method: 'POST',
        body: new URLSearchParams({
          Action: 'AssumeRoleWithWebIdentity',
          Version: '2011-06-15',
          RoleArn: 'arn:aws:iam::verify--nobody:role/ReadOnly',
          RoleSessionName: 'verify',
          WebIdentityToken: key,
        }),
      }),
    ),
  );
  await check('too many revocations from one IP address are refused by the firewall', async () => {
    if (new URL(apiUrl).protocol === 'http:') throw new Skipped('the URL is http, without a firewall');
    return askUntil(429, 'Too many', () =>
      fetch(`${apiUrl}/api/v1/service-account-keys/revocations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key }),
      }),
    );
  });
}

async function askUntil(status: number, text: string, ask: () => Promise<Response>): Promise<string> {
  for (let sent = 0; sent < requestsMax; sent += atOnce) {
    const answers = await Promise.all(Array.from({ length: atOnce }, ask));
    const refused = answers.find((answer) => answer.status === status);
    const found = await Promise.all(answers.map((answer) => answer.text()));
    if (refused !== undefined && found.some((body) => body.includes(text))) {
      return `${status} after ${sent} to ${sent + atOnce} requests`;
    }
  }
  throw new Error(`still answered after ${requestsMax} requests`);
}
