import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type Checks, expect, expectEqual, refusalOf, Skipped } from './checks.ts';
import { type Credentials, signIn } from './deployment.ts';
import { type Fixture, repositoryClient } from './fixture.ts';

/** Checks all kinds of sign-in, and sign-ins that must be refused. */
export async function checkSignIns(checks: Checks, fixture: Fixture): Promise<void> {
  const { deployment, serviceAccountId, key, privateRepositoryId } = fixture;
  const { dataUrl, ciToken } = deployment;
  const check = checks.group('sign-in');
  const clientOf = (credentials: Credentials) => repositoryClient(fixture, credentials, privateRepositoryId);
  const write = (credentials: Credentials, text: string) => clientOf(credentials).put('sign-in', text);

  await check('a key signs in, and GetCallerIdentity returns its account', async () => {
    const credentials = await signIn(deployment, key, serviceAccountId);
    const sts = new STSClient({ endpoint: `${dataUrl}/.sts`, region: 'eu-west-1', credentials, maxAttempts: 1 });
    const { Account } = await sts.send(new GetCallerIdentityCommand({}));
    expectEqual(Account, serviceAccountId, 'the account');
    await write(credentials, 'by key');
    return `Account ${Account}`;
  });
  await check('a CI token signs in once its workflow is trusted', async () => {
    if (ciToken === undefined) throw new Skipped('set SLUICE_VERIFY_CI_TOKEN to a token of a CI run');
    expectEqual((await refusalOf(signIn(deployment, ciToken, serviceAccountId))).code, 'AccessDenied', 'the refusal');
    const path = `/service-accounts/${serviceAccountId}/trusted-workflows`;
    const trusted = await fixture.user('POST', path, workflowOf(ciToken));
    expect(trusted.status === 201, `trusting it answered ${trusted.status}: ${trusted.body.detail}`);
    await write(await signIn(deployment, ciToken, serviceAccountId), 'by CI token');
    return trusted.body.subject;
  });
  await check("a user's API key signs requests itself", async () => {
    await write(fixture.userCredentials, 'by API key');
    return fixture.userCredentials.accessKeyId;
  });
  await check('the role ReadOnly reads and does not write', async () => {
    const credentials = await signIn(deployment, key, serviceAccountId, 'ReadOnly');
    await clientOf(credentials).head('sign-in');
    const { code, status } = await refusalOf(write(credentials, 'by ReadOnly'));
    expectEqual([code, status], ['AccessDenied', 403], 'the refusal');
    return 'AccessDenied 403';
  });
  await check('an incomplete key gets another refusal than an unknown key', async () => {
    const { code, message } = await refusalOf(signIn(deployment, key.slice(0, -1), serviceAccountId));
    expectEqual(code, 'InvalidIdentityToken', 'the refusal');
    expect(message.startsWith('API key is malformed'), message);
    return message;
  });
}

/**
 * Builds the body of the request that trusts a workflow. Repository, and branch, tag, or environment, come from the
 * workflow's token.
 */
function workflowOf(token: string): Record<string, string> {
  const [, payload = ''] = token.split('.');
  const claims: Record<string, string> = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const { iss = '', sub = '', ref = '', ref_type, environment, project_path } = claims;
  const repository = /^repo:([^:]+):/.exec(sub)?.[1] ?? project_path ?? '';
  if (environment !== undefined) return { issuer: iss, repository, environment };
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  return { issuer: iss, repository, [ref_type === 'tag' ? 'tag' : 'branch']: name };
}
