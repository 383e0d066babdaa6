import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { assumeRolesAs } from '../../../../lib/lambda/aws/assume-role.ts';
import { serveInTest } from '../../../service/http-server.ts';

const own = { access_key_id: 'ASIAOWN', secret_access_key: 'own', session_token: 'own' };
const principal = 'arn:aws:iam::111122223333:role/data-proxy';
const storage = 'arn:aws:iam::444455556666:role/storage';

/** Starts an STS emulator whose credentials have the name of the role, and which records who assumes which role. */
async function startServer() {
  const calls: { by: string | undefined; form: Record<string, string> }[] = [];
  const endpoint = await serveInTest(async (incoming, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(incoming)));
    calls.push({ by: /Credential=(\w+)/.exec(incoming.headers.authorization ?? '')?.[1], form });
    const action = form['Action'];
    const name = form['RoleArn'] === principal ? 'ASIAPRINCIPAL' : 'ASIASTORAGE';
    response.end(
      `<${action}Response><${action}Result><Credentials><AccessKeyId>${name}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>` +
        `<SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></${action}Result></${action}Response>`,
    );
  });
  const options = { endpoint, region: 'eu-west-1', credentials: () => own, triesMax: 1 };
  return { calls, assumeRole: assumeRolesAs(principal, options, async () => 'token') };
}

const request = { role_arn: storage, session_name: 'sluice-store', policy: '{}', durationSeconds: 3600 };

test('assumes the principal first, with a session that can only assume roles', async () => {
  const { calls, assumeRole } = await startServer();
  const lent = await assumeRole({ ...request, by: { external_id: 'sluice-1' } });
  expect(lent.access_key_id).toBe('ASIASTORAGE');
  expect(calls.map(({ by, form }) => [by, form['RoleArn'], form['ExternalId']])).toEqual([
    ['ASIAOWN', principal, 'run-repository-jobs'],
    ['ASIAPRINCIPAL', storage, 'sluice-1'],
  ]);
  const { Statement } = JSON.parse(calls[0]?.form['Policy'] ?? '{}');
  expect(Statement).toEqual([{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: '*' }]);
});

test('assumes a role with a token directly, and without a signature', async () => {
  const { calls, assumeRole } = await startServer();
  await assumeRole({ ...request, by: { subject: 'sluice:one', region: 'eu-west-1' } });
  expect(calls.map(({ by, form }) => [by, form['RoleArn'], form['WebIdentityToken']])).toEqual([
    [undefined, storage, 'token'],
  ]);
});
