import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from '../../made/api.d.ts';
import { accessToken, dropSession } from '../sign-in/session.ts';
import { fetchOneChange } from './one-change.ts';
import { toProblem } from './problem.ts';

export type Schemas = components['schemas'];

/** The management API with the types of its own document, as the person who is signed in. */
export const api = createClient<paths>({ baseUrl: `${location.origin}/api/v1`, fetch: fetchOneChange });

const withPerson: Middleware = {
  async onRequest({ request }) {
    const token = await accessToken();
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  onResponse({ response, request }) {
    // The token is good no more, whatever its time says.
    if (response.status === 401 && request.headers.has('authorization')) dropSession();
  },
};
api.use(withPerson);

interface Called<Data> {
  data?: Data | undefined;
  error?: unknown;
  response: Response;
}

export interface Answer<Data> {
  data: Data;
  /** Of what was read, for `If-Match`. */
  etag: string | undefined;
  /** The cursor of the next page. */
  next: string | undefined;
}

/**
 * What was answered.
 *
 * @throws Problem for a refusal
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

/** The same, where nothing but the answer's body matters. */
export async function dataOf<Data>(call: Promise<Called<Data>>): Promise<Data> {
  return (await answerOf(call)).data;
}

/** Of a `Link` header with `rel="next"`. */
export function cursorOf(link: string | null): string | undefined {
  const target = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, 'http://localhost').searchParams.get('cursor') ?? undefined;
}

/** The query of a page of a list: the first, or the one that begins at this cursor. */
export function pageQuery(cursor: string | undefined, limit = 100): { limit: number; cursor?: string } {
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** For a create: a request that is sent twice makes one thing. */
export function onceOnly(): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': crypto.randomUUID() };
}

export function ifUnchanged(etag: string | undefined): { 'If-Match'?: string } {
  return etag === undefined ? {} : { 'If-Match': etag };
}
