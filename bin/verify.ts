import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CheckResult } from './verify/checks.ts';
import type { Deployment } from './verify/deployment.ts';
import { verify } from './verify/verify.ts';

const usage = `npm run verify -- --api <URL> --data <URL>

  --api   address of the management API, without /api/v1
  --data  address of the data proxy

  SLUICE_VERIFY_PERSON_TOKEN  identity token of a person who manages the account (required)
  SLUICE_VERIFY_ACCOUNT       ID of the account to work in: the person's own, or an organization (required)
  SLUICE_VERIFY_CI_TOKEN      identity token of a CI run whose audience is the data proxy
  SLUICE_VERIFY_CONNECTION    data connection to place the two repositories on; by default the first that fits`;

const deployment = readDeployment();
if (typeof deployment === 'string') {
  console.error(`${deployment}\n\n${usage}`);
  process.exit(2);
}
const time = { now: Date.now, wait: (seconds: number) => wait(seconds * 1000) };
const results = await verify(deployment, time, (result) => console.log(row(result)));
const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
console.log(`\n${count('pass')} passed, ${count('fail')} failed, ${count('skip')} left out`);
process.exitCode = count('fail') === 0 ? 0 : 1;

function row({ group, name, outcome, seconds, detail }: CheckResult): string {
  const took = `${seconds.toFixed(2)} s`.padStart(9);
  return `${outcome.padEnd(4)} ${took}  ${group.padEnd(10)}  ${name.padEnd(62)}  ${detail}`;
}

/** The deployment, or the sentence that says what is missing. */
function readDeployment(): Deployment | string {
  const { values } = parseArgs({ options: { api: { type: 'string' }, data: { type: 'string' } }, strict: false });
  const { SLUICE_VERIFY_PERSON_TOKEN, SLUICE_VERIFY_ACCOUNT, SLUICE_VERIFY_CI_TOKEN, SLUICE_VERIFY_CONNECTION } =
    process.env;
  const addresses = [values['api'], values['data']].map((url) =>
    typeof url === 'string' ? url.replace(/\/+$/, '') : '',
  );
  const [apiUrl = '', dataUrl = ''] = addresses;
  if (!addresses.every((url) => /^https?:\/\/[^/?#]+$/.test(url))) {
    return 'Give both addresses, as https://name without a path: --api and --data.';
  }
  if (!SLUICE_VERIFY_PERSON_TOKEN) return 'Set SLUICE_VERIFY_PERSON_TOKEN to an identity token of a person.';
  if (!SLUICE_VERIFY_ACCOUNT) return 'Set SLUICE_VERIFY_ACCOUNT to the ID of an account that this person manages.';
  return {
    apiUrl,
    dataUrl,
    personToken: SLUICE_VERIFY_PERSON_TOKEN,
    accountId: SLUICE_VERIFY_ACCOUNT,
    ciToken: SLUICE_VERIFY_CI_TOKEN,
    dataConnectionId: SLUICE_VERIFY_CONNECTION,
  };
}
