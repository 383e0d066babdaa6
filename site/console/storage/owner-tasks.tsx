import { shell } from '../../../lib/pages/site/commands.ts';
import type { Schemas } from '../api/client.ts';
import { CopyButton } from '../components/copy.tsx';
import { Properties } from '../components/list.tsx';
import { TextBlock } from '../machines/recipe-chooser.tsx';

type Connection = Schemas['DataConnection'];
type Identity = NonNullable<Connection['identity']>;

const thumbprintSource = 'https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateOpenIDConnectProvider.html';

/** Shows the exact policies of a connection's role, and how its owner creates the role in AWS. */
export function RoleTasks({ identity, roleArn }: { identity: Identity; roleArn: string }) {
  const { issuer, audience, trust_policy, permission_policy } = identity;
  const { account, name } = partsOf(roleArn);
  return (
    <>
      <p>
        Do this in the AWS account <code>{account}</code>. The role trusts only this connection, and can do nothing
        outside the bucket and prefix.
      </p>
      <h4>With the AWS command line</h4>
      <TextBlock
        title="Paste into AWS CloudShell, or a terminal with the AWS CLI"
        text={commandsOf(identity, roleArn)}
      />
      <p class="soft">
        If AWS answers EntityAlreadyExists to the first command, the provider exists already, and the other commands
        still work.
      </p>
      <details>
        <summary>Or step by step in the AWS console</summary>
        <ol>
          <li>
            Open IAM, <strong>Identity providers</strong>, <strong>Add provider</strong>,{' '}
            <strong>OpenID Connect</strong>. Once for each AWS account.
            <Properties
              rows={[
                ['Provider URL', <Copied text={issuer} label="the provider URL" />],
                ['Audience', <Copied text={audience} label="the audience" />],
              ]}
            />
            <p class="soft">
              A thumbprint is optional. AWS checks the certificate of the provider with its own list of certificate
              authorities, and uses a thumbprint only for other certificates:{' '}
              <a href={thumbprintSource}>AWS documentation</a>.
            </p>
          </li>
          <li>
            Open <strong>Roles</strong>, <strong>Create role</strong>, <strong>Custom trust policy</strong>, and paste:
            <TextBlock title="Trust policy" text={trust_policy} />
          </li>
          <li>
            Name the role <code>{name}</code>, and create it without permissions.
          </li>
          <li>
            Open the role, <strong>Add permissions</strong>, <strong>Create inline policy</strong>,{' '}
            <strong>JSON</strong>, and paste:
            <TextBlock title="Permission policy" text={permission_policy} />
          </li>
        </ol>
      </details>
      <p class="soft">AWS needs some seconds to accept a new role. If the test fails at first, test again.</p>
    </>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <>
      <code>{text}</code> <CopyButton text={text} label={label} />
    </>
  );
}

/** Returns the AWS account and the name of a role, which may have a path. */
function partsOf(roleArn: string): { account: string; name: string; path: string } {
  const [, , , , account = '', resource = ''] = roleArn.split(':');
  const segments = resource.split('/').slice(1);
  const name = segments.pop() ?? '';
  return { account, name, path: segments.length === 0 ? '/' : `/${segments.join('/')}/` };
}

function commandsOf({ issuer, audience, trust_policy, permission_policy }: Identity, roleArn: string): string {
  const { name, path } = partsOf(roleArn);
  const compact = (json: string) => `'${JSON.stringify(JSON.parse(json)).replaceAll("'", '\\u0027')}'`;
  return [
    shell`aws iam create-open-id-connect-provider --url ${issuer} --client-id-list ${audience}`,
    `${shell`aws iam create-role --role-name ${name} --path ${path}`} \\`,
    `  --assume-role-policy-document ${compact(trust_policy)}`,
    `${shell`aws iam put-role-policy --role-name ${name} --policy-name sluice`} \\`,
    `  --policy-document ${compact(permission_policy)}`,
    '',
  ].join('\n');
}

/** Shows the object that the owner of a read-only storage uploads to prove control of it. */
export function MarkerTask({ connection, markerKey }: { connection: Connection; markerKey: string }) {
  const { bucket, endpoint } = connection.details;
  const put =
    endpoint === undefined
      ? shell`aws s3api put-object --bucket ${bucket} --key ${markerKey}`
      : shell`aws s3api put-object --bucket ${bucket} --key ${markerKey} --endpoint-url ${endpoint}`;
  return (
    <>
      <p>
        This site cannot write to the storage. To show that it belongs to you, upload an object of any content with this
        key. You can delete it after the test.
      </p>
      <TextBlock title="Key of the object" text={markerKey} />
      <TextBlock title="With the AWS CLI and your own credentials" text={`${put}\n`} />
    </>
  );
}
