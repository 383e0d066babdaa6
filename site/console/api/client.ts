import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from '../../generated/api.d.ts';
import { accessToken, dropSession } from '../sign-in/session.ts';
import { toProblem } from './problem.ts';

const underWay = new Map<string, Promise<Response>>();

/**
 * Sends a request. If an identical change is already in flight, sends no second request and returns the response of the
 * first.
 */
async function fetchOneChange(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request);
  const { method, url, headers } = request;
  const name = JSON.stringify([method, url, headers.get('if-match'), await request.clone().text()]);
  let answer = underWay.get(name);
  if (answer === undefined) {
    answer = fetch(request).finally(() => underWay.delete(name));
    underWay.set(name, answer);
  }
  return (await answer).clone();
}

export type Schemas = components['schemas'];

export type Inventory =
  paths['/repositories/{account_id}/{repository_id}/inventory']['get']['responses'][200]['content']['application/json'];

/** The management API client. It is typed from the API's OpenAPI document and sends the user's access token. */
export const api = createClient<paths>({ baseUrl: `${location.origin}/api/v1`, fetch: fetchOneChange });

const withUser: Middleware = {
  async onRequest({ request }) {
    const token = await accessToken();
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  onResponse({ response, request }) {
    // The issuer or the API can revoke a token before its expiry time. End the sign-in, because the page would
    // otherwise stay signed in with this token.
    const sent = request.headers.get('authorization');
    if (response.status === 401 && sent !== null) dropSession(sent.slice('Bearer '.length));
  },
};
api.use(withUser);

export interface Called<Data> {
  data?: Data | undefined;
  error?: unknown;
  response: Response;
}

export interface Answer<Data> {
  data: Data;
  /** The ETag of the resource, for `If-Match`. */
  etag: string | undefined;
  next: string | undefined;
}

/**
 * Returns the response body, the resource's ETag, and the cursor of the list's next page.
 *
 * @throws Problem when the API refuses the request
 */
export async function answerOf<Data>(call: Promise<Called<Data>>): Promise<Answer<Data>> {
  const { data, error, response } = await call;
  if (!response.ok) throw toProblem(response.status, error);
  return {
    data: data as Data,
    etag: response.headers.get('etag') ?? undefined,
    next: cursorOf(response.headers.get('link')),
  };
}

/** Returns the response body without ETag and cursor. Throws `Problem` when the API refuses the request. */
export async function dataOf<Data>(call: Promise<Called<Data>>): Promise<Data> {
  return (await answerOf(call)).data;
}

/** Returns the cursor in a `Link` header with `rel="next"`, or undefined. */
function cursorOf(link: string | null): string | undefined {
  const target = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, 'http://localhost').searchParams.get('cursor') ?? undefined;
}

/** Returns the query parameters for one page of a list. Without a cursor, the API returns the first page. */
export function pageQuery(cursor: string | undefined): { limit: number; cursor?: string } {
  return { limit: 100, ...(cursor !== undefined && { cursor }) };
}

/** Returns the header that makes a create request idempotent. */
export function onceOnly(): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': crypto.randomUUID() };
}

export function ifUnchanged(etag: string | undefined): { 'If-Match'?: string } {
  return etag === undefined ? {} : { 'If-Match': etag };
}
