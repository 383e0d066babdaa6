import { seedNames } from './seed.ts';

/** Returns the exchange's XML response, or its refusal. */
export async function exchangeSeedKey(dataUrl: string, key: string, role: 'FullAccess' | 'ReadOnly'): Promise<string> {
  const answer = await fetch(`${dataUrl}/.sts`, {
    method: 'POST',
    body: new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: `arn:aws:iam::${seedNames.service_account_id}:role/${role}`,
      RoleSessionName: 'local-start',
      WebIdentityToken: key,
    }),
  });
  return answer.text();
}

/** Reports whether a stored key still signs in as the seeded service account. */
export async function isSeedKey(dataUrl: string, key: string): Promise<boolean> {
  const answer = await exchangeSeedKey(dataUrl, key, 'ReadOnly');
  return answer.includes(`<SubjectFromWebIdentityToken>${seedNames.service_account_id}<`);
}
