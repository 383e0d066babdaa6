import { buffer } from 'node:stream/consumers';
import { serve } from './http-server.ts';

interface StoredDoi {
  state: 'draft' | 'findable';
  attributes: Record<string, unknown>;
}

/**
 * The failures that the next request can have. `lost` means that the request succeeds, but its answer never arrives.
 */
type Failure = 'lost' | 'reset' | { status: number; body?: string };

/**
 * Starts an emulator of DataCite's REST API on this machine. It follows DataCite's documentation: a PUT creates or
 * updates a DOI, `publish` makes it findable, and a findable DOI needs the required metadata and is never deleted
 * (support.datacite.org/docs/updating-metadata-with-the-rest-api, doi-states, and api-error-codes).
 */
export async function startDataCite() {
  const account = { repositoryId: 'TIDES.OPEN', password: 'the password of DataCite', prefix: '10.5438' };
  const credentials = `Basic ${Buffer.from(`${account.repositoryId}:${account.password}`).toString('base64')}`;
  const { url, close } = await serve(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/vnd.api+json' }).end(JSON.stringify(body));
    };
    const refuse = (status: number, ...errors: object[]) => answer(status, { errors });
    const sent = JSON.parse((await buffer(request)).toString('utf8'));
    dataCite.requests.push({ agent: request.headers['user-agent'], attributes: sent.data.attributes });
    const failure = dataCite.failures.shift();
    if (failure === 'reset') return request.socket.destroy();
    if (typeof failure === 'object') return response.writeHead(failure.status).end(failure.body);
    if (request.headers.authorization !== credentials) return refuse(401, { status: '401', title: 'Bad credentials.' });
    const [, doi] = /^\/dois\/(10\.\d+\/.+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'PUT' || doi === undefined) return refuse(405, { title: 'Method Not Allowed' });
    if (request.headers['content-type'] !== 'application/vnd.api+json') return refuse(415, { title: 'Unsupported' });
    if (!doi.startsWith(`${account.prefix}/`)) {
      return refuse(403, { status: '403', title: 'You are not authorized to access this resource.' });
    }
    const before = dataCite.dois.get(doi);
    const { event, ...attributes } = { ...before?.attributes, ...sent.data.attributes };
    const state = before?.state === 'findable' || event === 'publish' ? 'findable' : 'draft';
    const missing = required.filter((name) => [attributes[name] ?? ''].flat().length === 0 || attributes[name] === '');
    if (state === 'findable' && missing.length > 0) {
      return refuse(422, ...missing.map((source) => ({ source, uid: doi, title: "Can't be blank" })));
    }
    dataCite.dois.set(doi, { state, attributes });
    if (failure === 'lost') return request.socket.destroy();
    return answer(before === undefined ? 201 : 200, { data: { id: doi, type: 'dois', attributes } });
  });
  const required = ['url', 'creators', 'titles', 'publisher', 'publicationYear', 'types'];
  const dataCite = {
    /** The setting with which a service registers DOIs at this emulator. */
    setting: { ...account, api: url },
    dois: new Map<string, StoredDoi>(),
    requests: [] as { agent: string | undefined; attributes: Record<string, unknown> }[],
    failures: [] as Failure[],
    close,
  };
  return dataCite;
}
