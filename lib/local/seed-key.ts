import { seedNames } from './seed.ts';

/** The exchange's answer, or its refusal, as XML. */
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

/** Whether a stored key still signs in as the seeded service account, over the data that is there now. */
export async function isSeedKey(dataUrl: string, key: string): Promise<boolean> {
  const answer = await exchangeSeedKey(dataUrl, key, 'ReadOnly');
  return answer.includes(`<SubjectFromWebIdentityToken>${seedNames.service_account_id}<`);
}
