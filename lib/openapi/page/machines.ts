import { limits } from '../../domain/limits.ts';
import { codeBlock, html, type Markup } from './markup.ts';

/** How software signs in with no person present (spec, "Client settings for key-based sign-in"). */
export function machinesSection(): Markup {
  return html`<p>Software reads and writes objects at the data proxy as a <a href="#schema-ServiceAccount">service account</a>. Any S3 client that can assume a role with a web identity does: it trades what it has, a key or the identity token of a CI run, for credentials that last an hour, and does so again before they end. The bucket is the account, and an object's key begins with the repository.</p>
<div class="columns"><div class="words">
<h3 id="machines-key">With a key</h3>
<p><a href="#issueServiceAccountKey">Issue a key</a>, write it to a file that only the software can read, and give it five settings. Then use S3 as ever.</p>
<table class="fields"><tbody>
${setting('AWS_REGION', html`Any region; clients want one, the proxy looks at none. Some read <code>AWS_DEFAULT_REGION</code> instead: set both.`)}
${setting('AWS_ENDPOINT_URL_S3', html`The data proxy.`)}
${setting('AWS_ENDPOINT_URL_STS', html`Its exchange: the same address and <code>/.sts</code>.`)}
${setting('AWS_ROLE_ARN', html`The service account, and <code>FullAccess</code> or <code>ReadOnly</code>: with the latter nothing can be written, whatever is granted.`)}
${setting('AWS_WEB_IDENTITY_TOKEN_FILE', html`The absolute path of the key's file; <code>~</code> and <code>$HOME</code> are not expanded.`)}
</tbody></table>
</div><div class="examples">${codeBlock('The five settings', html`${settings}`)}${codeBlock('Use', html`${use}`)}</div></div>
<div class="columns"><div class="words">
<h3 id="machines-ci">From a CI workflow</h3>
<p><a href="#trustWorkflow">Trust the workflow</a>, a repository and one branch, tag or environment, and no key is needed: the CI system vouches for each run. The job needs the permission <code>id-token: write</code>, and the role has to name the service account that trusts it. <code>role-duration-seconds</code> is at most ${limits.sessionDurationMaxSeconds}.</p>
</div><div class="examples">${codeBlock('GitHub Actions', html`${workflow}`)}</div></div>
<h3 id="machines-clients">Which clients</h3>
<ul>
<li>The AWS command line from 2.13, and the Python SDK from boto3 1.28 with botocore 1.31. <strong>Older ones do not know the two endpoint settings</strong> and hand your key to AWS, which refuses it: update first, or replace a key that went there.</li>
<li><strong>GDAL</strong> from 3.6 makes the exchange itself, without looking at the exchange's address, and puts the key into a URL. Set <code>CPL_AWS_WEB_IDENTITY_ENABLE=NO</code> for it, and replace any key that it has used before.</li>
<li>Tools that read access key, secret and session token once stop with <code>ExpiredToken</code> (403) after an hour. Split such transfers into runs below an hour, each with fresh credentials, or use a client that renews them.</li>
</ul>
<h3 id="machines-secrets">Keeping keys</h3>
<p>A key belongs in a file or a secret store: never into source control, a command line, a URL or a debug log. One that got out is harmless as soon as someone sends it to <a href="#revokeFoundKey">the public revocation</a>, which needs no account; new exchanges with it stop within a minute.</p>`;
}

function setting(name: string, meaning: Markup): Markup {
  return html`<tr><th scope="row"><code>${name}</code></th><td><p>${meaning}</p></td></tr>`;
}

const settings = `export AWS_REGION=us-east-1
export AWS_ENDPOINT_URL_S3=https://data.example.org
export AWS_ENDPOINT_URL_STS=https://data.example.org/.sts
export AWS_ROLE_ARN=arn:aws:iam::tide-institute--nightly-sync:role/FullAccess
export AWS_WEB_IDENTITY_TOKEN_FILE=/etc/nightly-sync/key`;

const use = `aws s3 cp readings.csv s3://tide-institute/tide-gauges/2026/08/03.csv
aws s3 ls s3://tide-institute/tide-gauges/2026/`;

const workflow = `permissions:
  id-token: write
  contents: read
env:
  AWS_ENDPOINT_URL_S3: https://data.example.org
steps:
  - uses: aws-actions/configure-aws-credentials@v6
    with:
      role-to-assume: arn:aws:iam::tide-institute--nightly-sync:role/FullAccess
      audience: https://data.example.org
      sts-endpoint: https://data.example.org/.sts
      aws-region: us-east-1
      role-duration-seconds: 3600
  - run: aws s3 cp readings.csv s3://tide-institute/tide-gauges/2026/08/03.csv`;
