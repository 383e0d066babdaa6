import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CheckResult } from './verify/checks.ts';
import type { Deployment } from './verify/deployment.ts';
import { verify } from './verify/verify.ts';

const usage = `npm run verify -- --api <URL> --data <URL> [--throttles]

  --api   URL of the management API, without /api/v1
  --data  URL of the data proxy
  --throttles  also sends requests until they are throttled: your IP address is refused for five minutes then

  SLUICE_VERIFY_USER_TOKEN    identity token of a user who manages the account (required)
  SLUICE_VERIFY_ACCOUNT       ID of the account to work in: the user's own, or an organization (required)
  SLUICE_VERIFY_CI_TOKEN      identity token of a CI run whose audience is the data proxy
  SLUICE_VERIFY_CONNECTION    data connection of the two test repositories; by default the first that fits
  SLUICE_VERIFY_ORIGIN        an origin of the setting corsOrigins
  SLUICE_VERIFY_API_ORIGIN    the API's own URL, https://<ApiId>.execute-api.<homeRegion>.amazonaws.com
  SLUICE_VERIFY_LARGE_MIB     size of an upload in a single request, at most 5120`;

const deployment = readDeployment();
if (typeof deployment === 'string') {
  console.error(`${deployment}\n\n${usage}`);
  process.exit(2);
}
const time = { now: Date.now, wait: (seconds: number) => wait(seconds * 1000) };
const results = await verify(deployment, time, (result) => console.log(row(result)));
const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
console.log(`\n${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`);
process.exitCode = count('fail') === 0 ? 0 : 1;

function row({ group, name, outcome, seconds, detail }: CheckResult): string {
  const took = `${seconds.toFixed(2)} s`.padStart(9);
  return `${outcome.padEnd(4)} ${took}  ${group.padEnd(10)}  ${name.padEnd(62)}  ${detail}`;
}

/** Returns the deployment to verify. If a setting is missing, returns a sentence that says which one. */
function readDeployment(): Deployment | string {
  const text = { type: 'string' } as const;
  const options = { api: text, data: text, throttles: { type: 'boolean' } } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    values = parseArgs({ options }).values;
  } catch {
    return 'No check ran. Use only these options.';
  }
  const [apiUrl, dataUrl, apiOriginUrl] = [values.api, values.data, process.env['SLUICE_VERIFY_API_ORIGIN']].map(
    (url) => url?.replace(/(?<!\/)\/+$/, '') || undefined,
  );
  if (!isAddress(apiUrl) || !isAddress(dataUrl)) {
    return 'Give both URLs, as https://name without a path: --api and --data.';
  }
  if (apiOriginUrl !== undefined && !isAddress(apiOriginUrl)) {
    return 'SLUICE_VERIFY_API_ORIGIN must be a URL as https://name, without a path.';
  }
  const { SLUICE_VERIFY_USER_TOKEN: userToken, SLUICE_VERIFY_ACCOUNT: accountId, ...more } = process.env;
  if (!userToken) return 'Set SLUICE_VERIFY_USER_TOKEN to an identity token of a user.';
  if (/\s/.test(userToken)) return 'SLUICE_VERIFY_USER_TOKEN must be the token alone, without "Bearer".';
  if (!accountId) return 'Set SLUICE_VERIFY_ACCOUNT to the ID of an account that this user manages.';
  const largeMib = Number(more['SLUICE_VERIFY_LARGE_MIB'] || 0);
  if (!(Number.isInteger(largeMib) && largeMib >= 0 && largeMib <= 5120)) {
    return 'SLUICE_VERIFY_LARGE_MIB must be a whole number up to 5120.';
  }
  return {
    apiUrl,
    dataUrl,
    userToken,
    accountId,
    ciToken: more['SLUICE_VERIFY_CI_TOKEN'] || undefined,
    dataConnectionId: more['SLUICE_VERIFY_CONNECTION'] || undefined,
    origin: more['SLUICE_VERIFY_ORIGIN'] || undefined,
    apiOriginUrl,
    largeMib: largeMib || undefined,
    triesThrottles: values.throttles === true,
  };
}

function isAddress(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\/[^/?#]+$/.test(url);
}
