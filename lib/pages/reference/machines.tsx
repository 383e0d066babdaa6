import type { ComponentChildren } from 'preact';
import { limits } from '../../domain/limits.ts';
import { clientSettings as exampleSettings } from '../../operations/example-values.ts';
import { CodeBlock } from './text.tsx';

/** Explains how software signs in without a user (spec, "Client settings for key-based sign-in"). */
export function machinesSection(): ComponentChildren {
  return (
    <>
      <p>
        Software reads and writes objects at the data proxy as a <a href="#schema-ServiceAccount">service account</a>.
        Any S3 client that can assume a role with a web identity does: it trades what it has, a key or the identity
        token of a CI run, for credentials that last an hour, and does so again before they end. The bucket is the
        account, and an object's key begins with the repository.
      </p>
      <div class="columns">
        <div class="words">
          <h3 id="machines-key">With a key</h3>
          <p>
            <a href="#issueServiceAccountKey">Issue a key</a>, write it to a file that only the software can read, and
            give it these settings, which <a href="#getClientSettings">the service fills in</a> for your service
            account. Then use S3 as ever.
          </p>
          <table class="fields">
            <tbody>
              {setting('AWS_REGION', <>Any region; clients want one, the proxy looks at none.</>)}
              {setting('AWS_DEFAULT_REGION', <>The same again, for clients that look for their region here.</>)}
              {setting('AWS_ENDPOINT_URL_S3', <>The data proxy.</>)}
              {setting(
                'AWS_ENDPOINT_URL_STS',
                <>
                  Its exchange: the same URL and <code>/.sts</code>.
                </>,
              )}
              {setting(
                'AWS_ROLE_ARN',
                <>
                  The service account, and <code>FullAccess</code> or <code>ReadOnly</code>: with the latter nothing can
                  be written, whatever is granted.
                </>,
              )}
              {setting(
                'AWS_WEB_IDENTITY_TOKEN_FILE',
                <>
                  The absolute path of the key's file; <code>~</code> and <code>$HOME</code> are not expanded. A line
                  break at the end of the file does no harm.
                </>,
              )}
            </tbody>
          </table>
        </div>
        <div class="examples">
          <CodeBlock title="The settings">{shell}</CodeBlock>
          <CodeBlock title="Use">{use}</CodeBlock>
          <CodeBlock title="The same in ~/.aws/config">{aws_config}</CodeBlock>
        </div>
      </div>
      <div class="columns">
        <div class="words">
          <h3 id="machines-ci">From a CI workflow</h3>
          <p>
            <a href="#trustWorkflow">Trust the workflow</a>, a repository and one branch, tag or environment, and no key
            is needed: the CI system vouches for each run. The job needs the permission <code>id-token: write</code>,
            and the role has to name the service account that trusts it. <code>audience</code> is the data proxy,{' '}
            <code>sts-endpoint</code> (in releases of the action from 6.2) its exchange.{' '}
            <code>role-duration-seconds</code> can be left out; it is from {limits.sessionDurationMinSeconds} to{' '}
            {limits.sessionDurationMaxSeconds}.
          </p>
        </div>
        <div class="examples">
          <CodeBlock title="GitHub Actions">{job}</CodeBlock>
        </div>
      </div>
      <h3 id="machines-clients">Which clients</h3>
      <ul>
        <li>
          The AWS command line from 2.13, and the Python SDK from boto3 1.28 with botocore 1.31.{' '}
          <strong>Older ones do not know the two endpoint settings</strong> and hand your key to AWS, which refuses it:
          update first, or replace a key that went there.
        </li>
        <li>
          <strong>GDAL</strong> from 3.6 makes the exchange itself, without looking at the exchange's URL, and puts the
          key into a URL. Set <code>CPL_AWS_WEB_IDENTITY_ENABLE=NO</code> for it, and replace any key that it has used
          before.
        </li>
        <li>
          Tools that read access key, secret and session token once stop with <code>ExpiredToken</code> (403) after an
          hour. Split such transfers into runs below an hour, each with fresh credentials, or use a client that renews
          them.
        </li>
      </ul>
      <h3 id="machines-refusals">When it is refused</h3>
      <table class="fields">
        <tbody>
          {setting(
            'InvalidIdentityToken',
            <>
              API key is malformed: it was cut short or mistyped. API key was not accepted: it was revoked or has
              expired, or its service account is disabled. The identity token …: what is wrong with a CI token.
            </>,
          )}
          {setting(
            'AccessDenied',
            <>
              The service account that the role names does not trust this workflow, is disabled, or is not there. Its
              managers see what came and what is trusted in{' '}
              <a href="#getServiceAccount">
                <code>last_refused_sign_in</code>
              </a>
              .
            </>,
          )}
          {setting('ExpiredTokenException', <>The CI token has expired: ask for one right before the exchange.</>)}
          {setting('ValidationError, InvalidAction', <>The message says what to change.</>)}
          {setting(
            'Throttling',
            <>
              More than {limits.exchangesPerIpPerMinute} sign-ins a minute from one IP address or{' '}
              {limits.exchangesPerKeyPerMinute} with one key, unless the deployment says otherwise. Keep credentials
              until they expire.
            </>,
          )}
          {setting('IDPCommunicationError, ServiceUnavailable', <>Try again; clients do by themselves.</>)}
          {setting('ExpiredToken', <>The credentials have lived their life: sign in again.</>)}
        </tbody>
      </table>
      <h3 id="machines-secrets">Keeping keys</h3>
      <p>
        A key belongs in a file or a secret store: never into source control, a command line, a URL or a debug log. One
        that got out is harmless as soon as someone sends it to <a href="#revokeFoundKey">the public revocation</a>,
        which needs no account; new exchanges with it stop within a minute.
      </p>
    </>
  );
}

function setting(name: string, meaning: ComponentChildren): ComponentChildren {
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>
        <p>{meaning}</p>
      </td>
    </tr>
  );
}

const { shell, aws_config, github_actions_job } = exampleSettings;

const use = `aws s3 cp readings.csv s3://tide-institute/tide-gauges/2026/08/03.csv
aws s3 ls s3://tide-institute/tide-gauges/2026/`;

const job = `${github_actions_job}  - run: aws s3 cp readings.csv s3://tide-institute/tide-gauges/2026/08/03.csv`;
