import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createAssumeRole } from '../../lib/lambda/aws/assume-role.ts';
import { readSignature } from '../../lib/sigv4/presented-signature.ts';
import { verifySignature } from '../../lib/sigv4/verify.ts';
import { parseForm } from '../../lib/sts/parse.ts';
import { serveInTest } from './http-server.ts';

const edgeRole = {
  access_key_id: 'ASIAEDGEROLE',
  secret_access_key: 'secret of the edge role',
  session_token: 'edge token',
};

export interface LentCredentials {
  access_key_id: string;
  secret_access_key: string;
  session_token: string;
}

/**
 * Starts a server with the AssumeRole operation of the AWS STS API. Returns the call that edge functions use, with
 * their credentials. The server verifies signatures, and issues credentials for the right role and external ID.
 */
export async function startStsStandIn(
  lent: LentCredentials,
  role = { role_arn: 'arn:aws:iam::111122223333:role/sluice-storage', external_id: 'sluice-1' },
) {
  const calls: Record<string, string>[] = [];
  const endpoint = await serveInTest(async (incoming, response) => {
    const body = await buffer(incoming);
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const asked = { method: incoming.method ?? '', rawPath: incoming.url ?? '', rawQuery: '', headers };
    const form = Object.fromEntries(parseForm(body));
    calls.push(form);
    const answer = (status: number, xml: string) =>
      response.writeHead(status, { 'content-type': 'text/xml' }).end(xml.replaceAll(/>\s+</g, '><'));
    try {
      const signature = readSignature(asked);
      if (signature?.session_token !== edgeRole.session_token) throw new Error('not signed by the edge role');
      const now = Date.now();
      const payloadHash = hash('sha256', body, 'hex');
      verifySignature(asked, signature, edgeRole, { now, service: 'sts', payloadHash });
    } catch {
      return answer(403, error('SignatureDoesNotMatch'));
    }
    if (form['RoleArn'] !== role.role_arn || form['ExternalId'] !== role.external_id) {
      return answer(403, error('AccessDenied'));
    }
    const expiration = new Date(Date.now() + Number(form['DurationSeconds']) * 1000).toISOString();
    return answer(
      200,
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
        <AssumedRoleUser><AssumedRoleId>AROA:${form['RoleSessionName']}</AssumedRoleId>
          <Arn>arn:aws:sts::111122223333:assumed-role/sluice-storage/${form['RoleSessionName']}</Arn></AssumedRoleUser>
        <Credentials><AccessKeyId>${lent.access_key_id}</AccessKeyId>
          <SecretAccessKey>${lent.secret_access_key}</SecretAccessKey>
          <SessionToken>${lent.session_token}</SessionToken><Expiration>${expiration}</Expiration></Credentials>
      </AssumeRoleResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></AssumeRoleResponse>`,
    );
  });
  const options = { endpoint, region: 'eu-west-1', credentials: () => edgeRole, triesMax: 1 };
  return { ...role, calls, assumeRole: createAssumeRole(options) };
}

function error(code: string): string {
  return `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code>
    <Message>refused</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
}
