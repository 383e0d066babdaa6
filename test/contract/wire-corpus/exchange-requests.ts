import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { made } from '../../functions/users.ts';
import type { ReceivedAnswer } from '../../lib/local/http-client.ts';
import { ciToken, roleArn } from '../../service/data-clients.ts';
import { startSeededService } from '../../service/seeded-service.ts';
import { sendSigned } from '../../service/signed-requests.ts';
import { userToken } from '../../service/user-tokens.ts';
import { Recording, sendTo } from './recording.ts';

const form = 'application/x-www-form-urlencoded';
const account = 'tide-institute--error-table';

/** Records credential exchanges by key, CI token, and user, GetCallerIdentity, and every refusal. */
export async function recordExchange(): Promise<Recording> {
  const service = await startSeededService();
  const recording = new Recording({ data: service.dataUrl });
  try {
    const ada = await service.user('ada');
    await made(ada('POST', '/accounts/tide-institute/service-accounts', { name: 'error-table' }));
    const workflow = { repository: 'tide-institute/pipelines', branch: 'main' };
    await made(ada('POST', `/service-accounts/${account}/trusted-workflows`, workflow));
    const newKey = async () =>
      (await made(ada('POST', `/service-accounts/${account}/keys`, { label: 'a key', expiry: '30d' }))).body as {
        key: string;
        key_id: string;
      };

    const post = async (
      title: string,
      token: string,
      fields: Record<string, string> = {},
      { method = 'POST', path = '/.sts', type = form, body }: Record<string, string> = {},
    ): Promise<ReceivedAnswer> => {
      const all = {
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: roleArn('FullAccess', account),
        RoleSessionName: 'corpus',
        WebIdentityToken: token,
        ...fields,
      };
      const sent = body ?? new URLSearchParams(all).toString();
      const answer = await sendTo(service.dataUrl, method, path, { 'content-type': type }, sent);
      recording.add(title, answer);
      return answer;
    };

    const { key } = await newKey();
    const signedIn = await post('key', key);
    await post('key with a newline, at the root', `${key}\n`, {}, { path: '/' });
    await post('key, ReadOnly, longest duration', key, {
      RoleArn: roleArn('ReadOnly', account),
      DurationSeconds: '43200',
    });
    await post('key, role of another account', key, { RoleArn: roleArn('FullAccess', 'somebody-else') });
    await post('CI token', await ciToken(service));
    const dataToken = await userToken(service, 'ada', service.identity.people.data_client_id);
    await post("person's token", dataToken, { RoleArn: roleArn('FullAccess', 'ada') });
    await post("person's token, role of a service account", dataToken);

    const identity = 'Action=GetCallerIdentity&Version=2011-06-15';
    recording.add(
      'GetCallerIdentity',
      await sendSigned(
        service,
        credentialsIn(signedIn),
        { method: 'POST', path: '/.sts', headers: { 'content-type': form }, body: identity },
        { service: 'sts' },
      ),
    );
    await post('GetCallerIdentity, unsigned', key, {}, { body: identity });

    for (const [title, sub] of [
      ['of another branch', 'repo:tide-institute/pipelines:ref:refs/heads/other'],
      ['of another repository', 'repo:tide-institute/other:ref:refs/heads/main'],
      ['of a pull request', 'repo:tide-institute/pipelines:pull_request'],
    ] as const)
      await post(`CI token ${title}`, await ciToken(service, { sub }));
    await post('CI token for another audience', await ciToken(service, { audience: 'https://sts.amazonaws.com' }));
    for (const other of ['tide-institute', 'ada', 'tide-institute--nobody', '123456789012'])
      await post(`CI token, role of ${other}`, await ciToken(service), { RoleArn: roleArn('FullAccess', other) });
    await post('token that is none', 'eyJhbGciOiJub25lIn0.e30.');

    await made(ada('POST', `/service-accounts/${account}/disable`));
    await post('key, service account disabled', key);
    await post('CI token, service account disabled', await ciToken(service));
    await made(ada('POST', `/service-accounts/${account}/enable`));
    const revoked = await newKey();
    await made(ada('DELETE', `/service-accounts/${account}/keys/${revoked.key_id}`));
    await post('key that is revoked', revoked.key);
    await post('key that was never issued', issueServiceAccountKey(systemRandom));
    await post('key that is cut short', key.slice(0, -1));
    await post('key that is mistyped', key.slice(0, 12) + (key[12] === 'x' ? 'y' : 'x') + key.slice(13));
    const inUrl = `/.sts?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&WebIdentityToken=${key}`;
    recording.add('key in the URL of a GET', await sendTo(service.dataUrl, 'GET', inUrl));
    await post('key in the URL of a POST', key, {}, { path: inUrl });
    await post('key in the URL of an object', key, {}, { path: `/tide-institute/tide-gauges/${key}`, method: 'PUT' });

    for (const [title, fields] of Object.entries<Record<string, string>>({
      'another role': { RoleArn: roleArn('Admin', account) },
      'role in lower case': { RoleArn: roleArn('fullaccess', account) },
      'role that is no ARN': { RoleArn: 'FullAccess' },
      'a policy': { Policy: '{}' },
      'an empty token': { WebIdentityToken: ' ' },
      'duration that is too short': { DurationSeconds: '899' },
      'duration that is too long': { DurationSeconds: '43201' },
      'session name that is not valid': { RoleSessionName: 'a/b' },
      'another action': { Action: 'AssumeRole' },
      'another version': { Version: '2010-01-01' },
    }))
      await post(title, key, fields);
    await post('body that is too large', key, {}, { body: 'a='.padEnd(65_537, 'x') });
    await post('parameter given twice', key, {}, { body: 'Version=2011-06-15&Version=2011-06-15' });
    await post('body of another type', key, {}, { type: 'application/json' });
    await post('another method', key, {}, { method: 'PUT' });

    service.advance(30 * 86_400 + 1);
    await post('key that has expired', key);
    await post('CI token that has expired', (await ciTokenOfLastMonth()) ?? '');
    recording.add(
      'expired session',
      await sendSigned(
        service,
        credentialsIn(signedIn),
        { path: '/tide-institute/raw-drafts/a' },
        { signedAt: Date.now() + (30 * 86_400 + 1) * 1000 },
      ),
    );
    return recording;

    async function ciTokenOfLastMonth() {
      service.advance(-30 * 86_400);
      const token = await ciToken(service);
      service.advance(30 * 86_400);
      return token;
    }
  } finally {
    await service.close();
  }
}

/** Returns the credentials in the response of an exchange. */
function credentialsIn({ body }: ReceivedAnswer) {
  const read = (element: string) => new RegExp(`<${element}>([^<]+)<`).exec(body.toString())?.[1] ?? '';
  return {
    accessKeyId: read('AccessKeyId'),
    secretAccessKey: read('SecretAccessKey'),
    sessionToken: read('SessionToken'),
  };
}
