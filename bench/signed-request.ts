import type { HeaderFields } from '../lib/domain/data/decision.ts';
import { type SigningCredentials, signRequest } from '../lib/sigv4/sign.ts';

/**
 * Returns the header fields of a signed S3 request, including `host`. They are valid for 15 minutes and can be sent
 * many times.
 */
export function signedHeaders(method: string, url: URL, credentials: SigningCredentials): HeaderFields {
  return signRequest(
    { method, rawPath: url.pathname, rawQuery: url.search.slice(1), headers: { host: url.host } },
    credentials,
    { now: Date.now(), region: 'us-east-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' },
  );
}

export function exchangeForm(roleArn: string, token: string): string {
  return new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'bench',
    WebIdentityToken: token,
  }).toString();
}

/** @throws Error when the exchange is refused */
export async function exchange(dataUrl: string, roleArn: string, token: string): Promise<Required<SigningCredentials>> {
  const answer = await fetch(`${dataUrl}/.sts`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: exchangeForm(roleArn, token),
  });
  const document = await answer.text();
  const read = (element: string) => {
    const text = new RegExp(`<${element}>([^<]+)</${element}>`).exec(document)?.[1];
    if (text === undefined) throw new Error(`the exchange answered ${answer.status} without ${element}`);
    return text;
  };
  return {
    access_key_id: read('AccessKeyId'),
    secret_access_key: read('SecretAccessKey'),
    session_token: read('SessionToken'),
  };
}
