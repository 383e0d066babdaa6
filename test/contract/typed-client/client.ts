import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

/** Helpers of a web app around the generated client. */

export type Problem = components['schemas']['Problem'];
export type Code = Problem['code'];
export type Api = Client<paths>;

/** Records the called operations and the received error codes, for the report. */
export const calls: string[] = [];
export const codesMet = new Set<Code>();

export function apiOf(baseUrl: string, authorization?: string): Api {
  const client = createClient<paths>({
    baseUrl,
    headers: authorization === undefined ? {} : { authorization },
  });
  client.use({
    onRequest({ request, schemaPath }) {
      calls.push(`${request.method} ${schemaPath}`);
    },
  });
  return client;
}

/** Returns the body of a successful response. Throws the error code of any other response. */
export async function made<Data>(answer: Promise<{ data?: Data; error?: Problem; response: Response }>): Promise<Data> {
  const { data, error, response } = await answer;
  if (error !== undefined) throw new Error(`refused with ${error.code} (request ${error.request_id})`);
  if (data === undefined) throw new Error(`${response.status} came without a body`);
  return data;
}

/** Checks a successful response without a body. */
export async function done(answer: Promise<{ error?: Problem; response: Response }>): Promise<void> {
  const { error, response } = await answer;
  if (error !== undefined) throw new Error(`refused with ${error.code} (request ${error.request_id})`);
  if (response.status !== 204) throw new Error(`${response.status} is not 204`);
}

/** Expects a refusal with this code and returns the problem. The app decides by the code alone. */
export async function refused(answer: Promise<{ error?: Problem; response: Response }>, code: Code): Promise<Problem> {
  const { error, response } = await answer;
  if (error === undefined) throw new Error(`was not refused with ${code}, but answered ${response.status}`);
  if (error.code !== code) throw new Error(`was refused with ${error.code}, not ${code}`);
  codesMet.add(error.code);
  return error;
}

export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`it does not hold that ${what}`);
}

/** Returns the cursor of the next page of a list, or undefined on the last page. */
export function nextCursor({ headers }: Response): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (next === undefined) return undefined;
  return new URL(next, 'http://relative').searchParams.get('cursor') ?? undefined;
}
