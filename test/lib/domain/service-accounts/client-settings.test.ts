import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { CiIssuer } from '../../../../lib/domain/ci/issuers.ts';
import {
  clientSettings,
  environmentSettings,
  shellLines,
} from '../../../../lib/domain/service-accounts/client-settings.ts';

const place = {
  service_account_id: 'tide-institute--nightly-sync',
  data_proxy_url: 'https://data.example.org',
  audience: 'https://old.example.org',
  ci_issuers: [],
};

test('a service account has these client settings', () => {
  const { environment, ci_issuers: _, ...texts } = clientSettings(place);
  expect(environment).toEqual({
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_S3: 'https://data.example.org',
    AWS_ENDPOINT_URL_STS: 'https://data.example.org/.sts',
    AWS_ROLE_ARN: 'arn:aws:iam::tide-institute--nightly-sync:role/FullAccess',
    AWS_WEB_IDENTITY_TOKEN_FILE: '/etc/sluice/tide-institute--nightly-sync.key',
  });
  expect(texts).toEqual({
    shell: `export AWS_REGION=us-east-1
export AWS_DEFAULT_REGION=us-east-1
export AWS_ENDPOINT_URL_S3=https://data.example.org
export AWS_ENDPOINT_URL_STS=https://data.example.org/.sts
export AWS_ROLE_ARN=arn:aws:iam::tide-institute--nightly-sync:role/FullAccess
export AWS_WEB_IDENTITY_TOKEN_FILE=/etc/sluice/tide-institute--nightly-sync.key
`,
    aws_config: `[profile tide-institute--nightly-sync]
region = us-east-1
role_arn = arn:aws:iam::tide-institute--nightly-sync:role/FullAccess
web_identity_token_file = /etc/sluice/tide-institute--nightly-sync.key
services = tide-institute--nightly-sync
s3 =
  signature_version = s3v4

[services tide-institute--nightly-sync]
s3 =
  endpoint_url = https://data.example.org
sts =
  endpoint_url = https://data.example.org/.sts
`,
    github_actions_job: `permissions:
  id-token: write
  contents: read
env:
  AWS_ENDPOINT_URL_S3: "https://data.example.org"
steps:
  - uses: aws-actions/configure-aws-credentials@v6
    with:
      role-to-assume: "arn:aws:iam::tide-institute--nightly-sync:role/FullAccess"
      audience: "https://old.example.org"
      sts-endpoint: "https://data.example.org/.sts"
      aws-region: "us-east-1"
      role-duration-seconds: 3600
`,
  });
});

test('the audience is the audience of the first GitHub issuer if that issuer has one', () => {
  const issuer = (kind: 'github' | 'gitlab', audience?: string) => ({
    issuer: `https://${audience}.example.org`,
    kind,
    algorithms: ['RS256'] as const,
    ...(audience === undefined ? {} : { audience }),
  });
  const audienceOf = (...ci_issuers: CiIssuer[]) =>
    /audience: "(.*)"/.exec(clientSettings({ ...place, ci_issuers }).github_actions_job)?.[1];
  expect(audienceOf(issuer('gitlab', 'a'), issuer('github', 'b'), issuer('github', 'c'))).toBe('b');
  expect(audienceOf(issuer('github'), issuer('github', 'c'))).toBe(place.audience);
  expect(audienceOf(issuer('gitlab', 'a'))).toBe(place.audience);
});

test('each CI system has its fields of a trusted workflow and the settings of a job', () => {
  const algorithms = ['RS256'] as const;
  const { ci_issuers, github_actions_job } = clientSettings({
    ...place,
    ci_issuers: [
      { issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms },
      { issuer: 'https://gitlab.com', kind: 'gitlab', algorithms, audience: 'https://lab.example.org' },
    ],
  });
  expect(ci_issuers).toEqual([
    {
      issuer: 'https://token.actions.githubusercontent.com',
      kind: 'github',
      origins: ['branch', 'tag', 'environment'],
      job: github_actions_job,
    },
    {
      issuer: 'https://gitlab.com',
      kind: 'gitlab',
      origins: ['branch', 'tag'],
      job: `id_tokens:
  SLUICE_ID_TOKEN:
    aud: "https://lab.example.org"
variables:
  AWS_REGION: "us-east-1"
  AWS_DEFAULT_REGION: "us-east-1"
  AWS_ENDPOINT_URL_S3: "https://data.example.org"
  AWS_ENDPOINT_URL_STS: "https://data.example.org/.sts"
  AWS_ROLE_ARN: "arn:aws:iam::tide-institute--nightly-sync:role/FullAccess"
  AWS_WEB_IDENTITY_TOKEN_FILE: "/tmp/sluice-id-token"
before_script:
  - (umask 077; printf %s "$SLUICE_ID_TOKEN" > "$AWS_WEB_IDENTITY_TOKEN_FILE")
`,
    },
  ]);
});

const hostile = [
  "it's here",
  '$HOME/key',
  '`id`',
  '$(id)',
  'a b',
  'a\nb',
  'a;b',
  'a # b',
  'a\\b',
  '"',
  '!x',
  '*',
  '',
  '~/key',
];

describe('a setting value', () => {
  test.each([...hostile, "'; id #"])('passes the shell unchanged: %j', (value) => {
    const lines = shellLines(environmentSettings(place, value));
    const said = execFileSync('sh', ['-c', `${lines}\nprintf %s "$AWS_WEB_IDENTITY_TOKEN_FILE"`], { env: {} });
    expect(said.toString()).toBe(value);
  });

  test.each([...hostile, '$'.concat('{{ secrets.KEY }}'), 'https://data.example.org]', 'x\u2028y', '%(region)s'])(
    'is left out of files when it has special characters: %j',
    (value) => {
      for (const field of ['service_account_id', 'data_proxy_url', 'audience'] as const) {
        // Only an empty audience is tested, because the other values are part of a longer text.
        if (value === '' && field !== 'audience') continue;
        expect(() => clientSettings({ ...place, [field]: value })).toThrow(/cannot be part of client settings/);
      }
    },
  );
});
