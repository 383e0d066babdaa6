import type { ComponentChildren } from 'preact';
import { limits } from '../../domain/limits.ts';
import { clientSettings } from '../../operations/example-values.ts';
import { CodeBlock, Paragraphs, Prose, Rows } from './text.tsx';

/** Explains how software signs in without a user (specification, "Client settings for key-based sign-in"). */
export function machinesSection(): ComponentChildren {
  return (
    <>
      <Paragraphs text={introduction} />
      <div class="columns">
        <div class="words">
          <h3 id="machines-key">With a key</h3>
          <Paragraphs text={withKey} />
          {described(settings)}
        </div>
        <div class="examples">
          <CodeBlock title="Settings">{clientSettings.shell}</CodeBlock>
          <CodeBlock title="Use">{`${copy}aws s3 ls s3://tide-institute/tide-gauges/2026/`}</CodeBlock>
          <CodeBlock title="The same in ~/.aws/config">{clientSettings.aws_config}</CodeBlock>
        </div>
      </div>
      <div class="columns">
        <div class="words">
          <h3 id="machines-ci">From a CI workflow</h3>
          <Paragraphs text={fromWorkflow} />
        </div>
        <div class="examples">
          <CodeBlock title="GitHub Actions">{`${clientSettings.github_actions_job}  - run: ${copy}`}</CodeBlock>
        </div>
      </div>
      <h3 id="machines-clients">Clients</h3>
      <ul>
        {clients.map((text) => (
          <li>
            <Prose text={text} />
          </li>
        ))}
      </ul>
      <h3 id="machines-refusals">Errors</h3>
      {described(refusals)}
      <h3 id="machines-secrets">Storage of keys</h3>
      <Paragraphs text={storage} />
    </>
  );
}

function described(texts: Readonly<Record<string, string>>): ComponentChildren {
  const rows = Object.entries(texts).map(([name, text]) => ({
    name: <code>{name}</code>,
    content: <Paragraphs text={text} />,
  }));
  return <Rows rows={rows} />;
}

const copy = 'aws s3 cp readings.csv s3://tide-institute/tide-gauges/2026/08/03.csv\n';

const introduction = `Software reads and writes objects at the data proxy as a [service account](#schema-ServiceAccount). \
Every S3 client that can assume a role with a web identity can do this. It exchanges a key, or the identity token of a \
CI run, for credentials that are valid for an hour, and renews them before they expire. The bucket is the account, and \
the key of an object begins with the repository.`;

const withKey = `[Issue a key](#issueServiceAccountKey), and write it to a file that only the software can read. Set \
these values, which [the service fills in](#getClientSettings) for your service account. Then use S3 as usual.`;

const settings = {
  AWS_REGION: 'Any region. Clients need one, and the proxy ignores it.',
  AWS_DEFAULT_REGION: 'The same value, for clients that read the region from here.',
  AWS_ENDPOINT_URL_S3: 'The data proxy.',
  AWS_ENDPOINT_URL_STS: 'The exchange of the data proxy: the same URL and `/.sts`.',
  AWS_ROLE_ARN:
    'The service account, and `FullAccess` or `ReadOnly`. With `ReadOnly`, nothing can be written, whatever is granted.',
  AWS_WEB_IDENTITY_TOKEN_FILE: `The absolute path of the file with the key. \`~\` and \`$HOME\` are not expanded. The \
file may end with a line break.`,
};

const fromWorkflow = `[Trust the workflow](#trustWorkflow), which is a repository and one branch, tag, or environment. \
It then needs no key, because the CI system identifies each run. The job needs the permission \`id-token: write\`, and \
the role names the service account that trusts the workflow. \`audience\` is the data proxy. \`sts-endpoint\` (in the \
action from 6.2) is its exchange. \`role-duration-seconds\` is optional, from ${limits.sessionDurationMinSeconds} to \
${limits.sessionDurationMaxSeconds}.`;

const clients = [
  `The AWS command line from 2.13, and the Python SDK from boto3 1.28 with botocore 1.31. **Older versions do not know \
the two endpoint settings** and send your key to AWS, which rejects it. Update first, or replace a key that was sent \
there.`,
  `**GDAL** from 3.6 makes the exchange itself, ignores the URL of the exchange, and puts the key into a URL. Set \
\`CPL_AWS_WEB_IDENTITY_ENABLE=NO\` for GDAL, and replace any key that it has used before.`,
  `Tools that read the access key, the secret, and the session token only once stop with \`ExpiredToken\` (403) after an \
hour. Split such transfers into runs below an hour, each with new credentials, or use a client that renews them.`,
];

const refusals = {
  InvalidIdentityToken: `"API key is malformed": the key is incomplete or misspelled. "API key was not accepted": the \
key was revoked or has expired, or its service account is disabled. "The identity token …": the error of a CI token.`,
  AccessDenied: `The service account of the role does not trust this workflow, is disabled, or does not exist. Its \
managers see the received and the trusted workflow in [\`last_refused_sign_in\`](#getServiceAccount).`,
  ExpiredTokenException: 'The CI token has expired. Request one immediately before the exchange.',
  'ValidationError, InvalidAction': 'The message says what to change.',
  Throttling: `More than ${limits.exchangesPerIpPerMinute} sign-ins a minute from one IP address, or \
${limits.exchangesPerKeyPerMinute} with one key, unless the deployment has other limits. Use credentials until they \
expire.`,
  'IDPCommunicationError, ServiceUnavailable': 'Try again. Clients retry automatically.',
  ExpiredToken: 'The credentials have expired. Sign in again.',
};

const storage = `Store a key in a file or a secret store, never in source control, a command line, a URL, or a debug \
log. Anyone can send a leaked key to [the public revocation](#revokeFoundKey), which needs no account. New exchanges \
with it stop within a minute.`;
