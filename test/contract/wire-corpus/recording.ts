import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { type ReceivedAnswer, send } from '../../lib/local/http-client.ts';

/**
 * Recorded responses: one JSON line for each request, compared with a file in this folder. Placeholders replace values
 * that differ in each run. Our sentences are omitted, because their wording may change. `npm run record-wire-corpus`
 * rewrites the files. Use it only for a change that clients are meant to see.
 */
export class Recording {
  readonly #lines: string[] = [];
  readonly #hosts: readonly (readonly [url: string, name: string])[];

  /** @param hosts URLs of this run, and the names that replace them */
  constructor(hosts: Readonly<Record<string, string>> = {}) {
    this.#hosts = Object.entries(hosts).map(([name, url]) => [new URL(url).host, name]);
  }

  /** Adds a response under the title of its request. */
  add(title: string, { status, headers, body }: ReceivedAnswer): void {
    this.addValue(title, { status, headers: recordedHeaders(headers), body: recordedBody(headers, body.toString()) });
  }

  addValue(title: string, value: unknown): void {
    if (this.#lines.some((line) => line.startsWith(`${JSON.stringify({ title }).slice(0, -1)},`)))
      throw new Error(`two requests have the title ${title}`);
    this.#lines.push(this.#normalize(JSON.stringify({ title, ...(value as object) })));
  }

  async expectRecorded(name: string): Promise<void> {
    await expect(`${this.#lines.join('\n')}\n`).toMatchFileSnapshot(`./${name}.jsonl`);
  }

  #normalize(line: string): string {
    const named = this.#hosts.reduce((text, [host, name]) => text.replaceAll(host, `<${name} host>`), line);
    return placeholders.reduce((text, [pattern, placeholder]) => text.replace(pattern, placeholder), named);
  }
}

/** Sends a request unchanged to a server on this machine. */
export function sendTo(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<ReceivedAnswer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = { method, path, headers: { ...length, ...headers } };
  return send(Number(new URL(url).port), body === undefined ? sent : { ...sent, body });
}

/** Formats of values that differ in each run, most specific first. */
const placeholders: readonly (readonly [RegExp, string])[] = [
  [/sck_[0-9A-Za-z]{36}/g, '<service-account key>'],
  [/\bSCAK[A-Z2-7]{16}/g, '<API key id>'],
  [/\bSCTA[A-Z2-7]{16}/g, '<session access key id>'],
  [/\bSCRA[A-Z2-7]{16}/g, '<role id>'],
  [/(<SecretAccessKey>)[0-9A-Za-z]{40}</g, '$1<session secret><'],
  [/("secret":")[\w-]{43}"/g, '$1<link secret>"'],
  [/("secret_access_key":")[0-9A-Za-z]{40}"/g, '$1<session secret>"'],
  [/("secret_access_key":")[0-9A-Za-z]{64}"/g, '$1<API key secret>"'],
  [/(<SessionToken>|"session_token":")[\w-]{100,}/g, '$1<session token>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time with ms>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g, '<HTTP date>'],
  [/(?<![\w-])[\w-]{56}(?![\w-])/g, '<request id>'],
  [/\\"v\d{13}\\"/g, '<version>'],
  [/cursor=[\w.-]+/g, 'cursor=<cursor>'],
  [/(<UploadId>)[^<]+/g, '$1<upload id>'],
  [/(<(?:Next)?ContinuationToken>)[^<]+/g, '$1<continuation token>'],
  [/\b127\.0\.0\.1:\d+/g, '<other host>'],
];

const volatileHeaders = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

function recordedHeaders(headers: IncomingHttpHeaders): Record<string, unknown> {
  const isText = /json|xml|html/.test(headers['content-type'] ?? '');
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !volatileHeaders.includes(name) && !(isText && name === 'content-length'))
      .map(([name, value]) => {
        if (name === 'content-security-policy') return [name, '<policy>'];
        // The version of a resource is a hash of its dates and IDs.
        if (name === 'etag' && /json|html/.test(headers['content-type'] ?? '')) return [name, '<version>'];
        return [name, value];
      })
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

function recordedBody(headers: IncomingHttpHeaders, body: string): unknown {
  const type = headers['content-type'] ?? '';
  if (type.includes('html')) return '<page>';
  if (type.includes('json') && body !== '') return withoutSentences(JSON.parse(body));
  return body.replace(/<Message>([^<]*)</g, (_, sentence: string) => `<Message>${specifiedPart(sentence)}<`);
}

/** Fields with our sentences. */
const sentenceFields = ['detail', 'message'];

/** Orders the audit events of one request by their kind. They have the same time, so the API's order is random. */
function inFixedOrder(items: readonly unknown[]): readonly unknown[] {
  const events = items as readonly { request_id?: string; kind?: string }[];
  if (events[0]?.request_id === undefined || events[0].kind === undefined) return items;
  const requests = events.map(({ request_id }) => request_id);
  return events.toSorted(
    (a, b) =>
      requests.indexOf(a.request_id) - requests.indexOf(b.request_id) || (String(a.kind) < String(b.kind) ? -1 : 1),
  );
}

function withoutSentences(value: unknown): unknown {
  if (Array.isArray(value)) return inFixedOrder(value).map(withoutSentences);
  if (typeof value !== 'object' || value === null) return value;
  if ('openapi' in value) return '<document>';
  const isProblem = 'code' in value && 'type' in value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const isSentence = sentenceFields.includes(name) || (isProblem && name === 'title');
      return [name, isSentence && typeof field === 'string' ? specifiedPart(field) : withoutSentences(field)];
    }),
  );
}

/** Messages that the specification fixes. */
const specifiedMessages = [
  'Not authorized to perform sts:AssumeRoleWithWebIdentity (request id ',
  'API key was not accepted (request id ',
  'API key is malformed; check that it was copied whole (request id ',
  'API key must be sent in the request body, not the URL',
];

function specifiedPart(sentence: string): string {
  return specifiedMessages.some((message) => sentence.startsWith(message)) ? sentence : '<sentence>';
}
