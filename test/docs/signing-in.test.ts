import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { clientSettings } from '../../lib/domain/service-accounts/client-settings.ts';
import { issueServiceAccountKey } from '../../lib/domain/service-accounts/service-account-key.ts';
import { createExchangeThrottle } from '../../lib/sts/throttle.ts';
import { type Answer, ExchangeSetup, formRequest, random } from '../lib/sts/exchange-setup.ts';

const page = readFileSync('docs/clients/signing-in.md', 'utf8');
const readme = readFileSync('README.md', 'utf8');

test('the page and the README show the settings that the service returns', () => {
  const url = 'https://data.example.org';
  const service_account_id = 'tide-institute--nightly-sync';
  const given = clientSettings({ service_account_id, data_proxy_url: url, audience: url, ci_issuers: [] });
  for (const [language, text] of [
    ['sh', given.shell],
    ['ini', given.aws_config],
    ['yaml', given.github_actions_job],
  ])
    expect(page).toContain(`\`\`\`${language}\n${text}\`\`\``);
  for (const name of Object.keys(given.environment)) expect(page).toContain(`| \`${name}\` |`);
  for (const name of Object.keys(given.environment)) expect(readme).toContain(`export ${name}=`);
});

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
});
const token = (claims: Record<string, unknown> = {}) => ({
  WebIdentityToken: setup.issuer.token(setup.claims(claims)),
});

/**
 * Compares each row of the page's table of refusals with the answer of the exchange. Object requests return the same
 * `ExpiredToken`.
 */
const refusals: [string, () => Promise<Answer>][] = [
  ['API key is malformed', () => setup.exchange({ WebIdentityToken: 'sck_x' })],
  ['API key was not accepted', () => setup.exchange({ WebIdentityToken: issueServiceAccountKey(random) })],
  ['The identity token is for another audience', () => setup.exchange(token({ aud: 'x' }))],
  ['The identity token comes from an issuer that is not accepted here', () => setup.exchange(token({ iss: 'x' }))],
  ['The identity token is not an identity token', () => setup.exchange({ WebIdentityToken: 'x' })],
  ['The identity token has expired', () => setup.exchange(token({ exp: 1, iat: 0, nbf: 0 }))],
  [
    "The token's issuer did not return its keys",
    () => {
      setup.issuer.failure = new Error('down');
      return setup.exchange(token());
    },
  ],
  ['Not authorized to perform sts:AssumeRoleWithWebIdentity', () => setup.exchange(token())],
  [
    'API key must be sent in the request body, not the URL',
    () => setup.send(formRequest('', { method: 'GET', rawQuery: `WebIdentityToken=${setup.key}` })),
  ],
  ['RoleArn must', () => setup.exchange({ RoleArn: 'arn:aws:iam::a--b:role/Admin' })],
  ['DurationSeconds must', () => setup.exchange({ DurationSeconds: '1' })],
  ['Session policies are not supported', () => setup.exchange({ Policy: '{}' })],
  ['Action must be', () => setup.exchange({ Action: 'AssumeRole' })],
  [
    'Too many sign-ins',
    async () => {
      const one = { per_ip_per_minute: 1, per_key_per_minute: 1 };
      setup.dependencies.throttle = createExchangeThrottle(one, () => setup.now);
      await setup.exchange();
      return setup.exchange();
    },
  ],
  [
    'The service cannot check this at the moment',
    () => {
      setup.store.readKeySignIn = () => Promise.reject(new Error('down'));
      return setup.exchange();
    },
  ],
];

test.each(refusals)('the page describes the answer of the exchange to "%s"', async (message, attempt) => {
  const answer = await attempt();
  expect(answer.message?.replaceAll('&apos;', "'").startsWith(message)).toBe(true);
  expect(page).toContain(`| \`${answer.code}\` | ${answer.status} | ${message} |`);
});

test('the page describes no other refusal of the exchange', () => {
  const rows = [...page.matchAll(/^\| `\w+` \| \d{3} \| (.*?) \|/gm)].map(([, message]) => message);
  expect(rows).toEqual([...refusals.map(([message]) => message), 'The temporary credentials have expired']);
});
