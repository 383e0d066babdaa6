import * as z from 'zod';
import { type CiIssuer, ciProviderKindSchema } from '../ci/issuers.ts';
import { type CiProvider, type OriginKind, originKinds } from '../ci/provider.ts';
import { type CiProviderKind, ciProvider } from '../ci/providers.ts';

const environmentSchema = z.object({
  AWS_REGION: z.string(),
  AWS_DEFAULT_REGION: z.string(),
  AWS_ENDPOINT_URL_S3: z.string(),
  AWS_ENDPOINT_URL_STS: z.string(),
  AWS_ROLE_ARN: z.string(),
  AWS_WEB_IDENTITY_TOKEN_FILE: z.string(),
});
export type EnvironmentSettings = z.infer<typeof environmentSchema>;

/** Settings to sign in as one service account, ready to paste into a shell or a CI job. They never contain a key. */
export const clientSettingsSchema = z.object({
  environment: environmentSchema,
  shell: z.string(),
  aws_config: z.string(),
  github_actions_job: z.string(),
  /**
   * The issuers whose workloads the account can trust. Issuers that the account registered come last. The first one is
   * the default for a new trusted workflow.
   */
  ci_issuers: z.array(
    z.object({
      issuer: z.string(),
      kind: ciProviderKindSchema,
      /** The types of origins that a workflow of this CI system can name. */
      origins: z.array(z.enum(originKinds)),
      /** The lines to add to the configuration of a CI job. */
      job: z.string(),
    }),
  ),
});
export type ClientSettings = z.infer<typeof clientSettingsSchema>;

/** AWS clients require a region. The data proxy accepts any region. */
const region = 'us-east-1';

interface SignInEndpoint {
  service_account_id: string;
  data_proxy_url: string;
}

/**
 * Returns the environment variables of AWS clients. `key_file` must be an absolute path, because clients do not expand
 * `~`.
 */
export function environmentSettings(
  { service_account_id, data_proxy_url }: SignInEndpoint,
  key_file: string,
): EnvironmentSettings {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL_S3: data_proxy_url,
    AWS_ENDPOINT_URL_STS: `${data_proxy_url}/.sts`,
    AWS_ROLE_ARN: `arn:aws:iam::${service_account_id}:role/FullAccess`,
    AWS_WEB_IDENTITY_TOKEN_FILE: key_file,
  };
}

/** Formats environment variables as `export` lines for a POSIX shell. Values may contain any characters. */
export function shellLines(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `export ${name}=${isPlain(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}\n`)
    .join('');
}

/**
 * Returns the settings to sign in as a service account. `audience` applies to issuers without an audience of their own.
 * Throws if a value contains special characters.
 */
export function clientSettings({
  audience: commonAudience,
  ci_issuers,
  ...account
}: SignInEndpoint & {
  audience: string;
  ci_issuers: readonly (Pick<CiIssuer, 'issuer' | 'kind'> & Partial<CiIssuer>)[];
}): ClientSettings {
  const { service_account_id } = account;
  const ownAudience = ci_issuers.find(({ kind }) => kind === 'github')?.audience;
  const audience = ownAudience ?? commonAudience;
  const audiences = ci_issuers.map((issuer) => issuer.audience ?? commonAudience);
  const environment = environmentSettings(account, `/etc/sluice/${service_account_id}.key`);
  // Reject special characters. The configuration files of AWS clients have no quoting, and GitHub evaluates expressions
  // even inside quotes.
  for (const value of [audience, ...audiences, ...Object.values(environment)])
    if (!isPlain(value)) throw new Error(`${JSON.stringify(value)} cannot be part of client settings`);
  return {
    environment,
    shell: shellLines(environment),
    aws_config: configLines(service_account_id, environment),
    github_actions_job: jobLines.github(audience, environment),
    ci_issuers: ci_issuers.map(({ issuer, kind, audience: own }) => ({
      issuer,
      kind,
      origins: [...originsOf(ciProvider({ kind }))],
      job: jobLines[kind](own ?? commonAudience, environment),
    })),
  };
}

function originsOf(provider: CiProvider): readonly OriginKind[] {
  return provider.identifiedBy === 'repository' ? provider.origins : [];
}

function configLines(name: string, environment: EnvironmentSettings): string {
  return `[profile ${name}]
region = ${environment.AWS_REGION}
role_arn = ${environment.AWS_ROLE_ARN}
web_identity_token_file = ${environment.AWS_WEB_IDENTITY_TOKEN_FILE}
services = ${name}
s3 =
  signature_version = s3v4

[services ${name}]
s3 =
  endpoint_url = ${environment.AWS_ENDPOINT_URL_S3}
sts =
  endpoint_url = ${environment.AWS_ENDPOINT_URL_STS}
`;
}

// Quotes a value for YAML. A JSON string is also a valid YAML string.
const quoted = (value: string) => JSON.stringify(value);

/** The functions that write the job configuration, by issuer kind. */
const jobLines: Readonly<Record<CiProviderKind, (audience: string, environment: EnvironmentSettings) => string>> = {
  github: githubJobLines,
  gitlab: gitlabJobLines,
  forgejo: forgejoJobLines,
  kubernetes: kubernetesPodLines,
  oidc: workloadLines,
};

/**
 * Formats settings for a whole GitHub job. A single step can neither request the token nor set the endpoint for later
 * steps.
 */
function githubJobLines(audience: string, environment: EnvironmentSettings): string {
  return `permissions:
  id-token: write
  contents: read
env:
  AWS_ENDPOINT_URL_S3: ${quoted(environment.AWS_ENDPOINT_URL_S3)}
steps:
  - uses: aws-actions/configure-aws-credentials@v6
    with:
      role-to-assume: ${quoted(environment.AWS_ROLE_ARN)}
      audience: ${quoted(audience)}
      sts-endpoint: ${quoted(environment.AWS_ENDPOINT_URL_STS)}
      aws-region: ${quoted(environment.AWS_REGION)}
      role-duration-seconds: 3600
`;
}

/**
 * Formats a GitLab job that writes the token to a file. GitLab passes the token in a variable, but AWS clients read it
 * from a file.
 */
function gitlabJobLines(audience: string, environment: EnvironmentSettings): string {
  const variables = Object.entries({ ...environment, AWS_WEB_IDENTITY_TOKEN_FILE: '/tmp/sluice-id-token' });
  return `id_tokens:
  SLUICE_ID_TOKEN:
    aud: ${quoted(audience)}
variables:
${variables.map(([name, value]) => `  ${name}: ${quoted(value)}\n`).join('')}before_script:
  - (umask 077; printf %s "$SLUICE_ID_TOKEN" > "$AWS_WEB_IDENTITY_TOKEN_FILE")
`;
}

/** Formats a Forgejo job that requests a token and writes it to a file. The token is valid for one hour. */
function forgejoJobLines(audience: string, environment: EnvironmentSettings): string {
  const variables = Object.entries({ ...environment, AWS_WEB_IDENTITY_TOKEN_FILE: '/tmp/sluice-id-token' });
  return `enable-openid-connect: true
env:
${variables.map(([name, value]) => `  ${name}: ${quoted(value)}\n`).join('')}steps:
  - run: |
      umask 077
      curl -fsS -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
        "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(audience)}" |
        sed 's/.*"value": *"\\([^"]*\\)".*/\\1/' > "$AWS_WEB_IDENTITY_TOKEN_FILE"
`;
}

/** Formats the parts of a Kubernetes Pod's spec. The kubelet writes the token to the file and renews it. */
function kubernetesPodLines(audience: string, environment: EnvironmentSettings): string {
  const folder = '/var/run/secrets/sluice';
  const variables = Object.entries({ ...environment, AWS_WEB_IDENTITY_TOKEN_FILE: `${folder}/token` });
  return `containers:
  - name: publish
    env:
${variables.map(([name, value]) => `      - name: ${name}\n        value: ${quoted(value)}\n`).join('')}    volumeMounts:
      - name: sluice-token
        mountPath: ${folder}
        readOnly: true
volumes:
  - name: sluice-token
    projected:
      sources:
        - serviceAccountToken:
            audience: ${quoted(audience)}
            expirationSeconds: 3600
            path: token
`;
}

/** Formats the environment of a workload that writes its token to a file. */
function workloadLines(audience: string, environment: EnvironmentSettings): string {
  const token_file = '/run/sluice/token';
  return `# Write a token with the audience ${audience} to ${token_file}, and renew it before it expires.
${shellLines({ ...environment, AWS_WEB_IDENTITY_TOKEN_FILE: token_file })}`;
}

function isPlain(value: string): boolean {
  return /^[\w./:@-]+$/.test(value);
}
