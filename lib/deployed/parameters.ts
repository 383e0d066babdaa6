import { hash } from 'node:crypto';
import * as z from 'zod';
import { signRequest } from '../sigv4/sign.ts';
import { defaultProvider } from './environment-credentials.ts';

/** The text of a parameter of Systems Manager; undefined where there is none of that name. Throws when it cannot be read. */
export type ReadParameter = (name: string) => Promise<string | undefined>;

const timeoutMs = 2000;
const answerSchema = z.object({ Parameter: z.object({ Value: z.string() }) });
const refusalSchema = z.object({ __type: z.string() });
const readCredentials = defaultProvider();

/** One request, which the AWS SDK's client would add a quarter to each bundle for. */
export function createParameterReader(region: string, ask: typeof fetch = fetch): ReadParameter {
  const host = `ssm.${region}.amazonaws.com`;
  return async (name) => {
    const { accessKeyId, secretAccessKey, sessionToken } = await readCredentials();
    const body = JSON.stringify({ Name: name });
    const headers = { host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' };
    const credentials = {
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey,
      ...(sessionToken === undefined ? {} : { session_token: sessionToken }),
    };
    const answer = await ask(`https://${host}/`, {
      method: 'POST',
      headers: signRequest({ method: 'POST', rawPath: '/', rawQuery: '', headers }, credentials, {
        now: Date.now(),
        region,
        service: 'ssm',
        payloadHash: hash('sha256', body, 'hex'),
      }),
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const document: unknown = await answer.json();
    if (answer.ok) return answerSchema.parse(document).Parameter.Value;
    const type = refusalSchema.safeParse(document).data?.__type ?? '';
    if (/(?:^|#)ParameterNotFound$/.test(type)) return undefined;
    throw new Error(`parameter ${name}: status ${answer.status}, ${type}`);
  };
}
