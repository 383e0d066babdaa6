import { describe, expect, test } from 'vitest';
import { sendRaw } from '../lib/local/http-client.ts';
import { seededService } from '../service/seeded-service.ts';

const service = await seededService();

const portOf = (url: string) => Number(new URL(url).port);
const hosts: [string, () => number, string, string][] = [
  ['the data proxy', () => portOf(service.dataUrl), '/tide-institute/tide-gauges/x', '/.health'],
  ['the management API', () => portOf(service.apiUrl), '/api/v1/service-account-keys/revocations', '/health'],
];

/** Returns the statuses of all responses until the connection closes. */
async function statuses(port: number, text: string): Promise<string[]> {
  return [...(await sendRaw(port, text)).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
}

describe.each(hosts)('at %s,', (_, port, path, hidden) => {
  /** A request whose response is 200 if the server takes it for a separate request. */
  const second = `GET ${hidden} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
  const post = (fields: string, body: string) => `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n${body}`;

  test('a second request in the same text gets an answer when the first one ends unambiguously', async () => {
    expect(await statuses(port(), post('Content-Length: 0\r\n', '') + second)).toContain('200');
  });

  // A proxy in front of this server may see another end of the first request, and treat the second request as its body.
  test.each([
    ['both framings', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 200\r\n', ''],
    ['two lengths in one field', 'Content-Length: 0, 200\r\n', ''],
    ['a length with a sign', 'Content-Length: +0\r\n', ''],
    ['an unknown coding', 'Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'],
    ['chunked, and then something else', 'Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n', '0\r\n\r\n'],
    ['a folded field', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'],
    ['a line feed alone', 'X: y\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['a chunk of negative size', 'Transfer-Encoding: chunked\r\n', '-1\r\n\r\n'],
    ['a chunk without its line feed', 'Transfer-Encoding: chunked\r\n', '1\rx0\r\n\r\n'],
  ])('a request with %s is refused together with the text after it', async (_what, fields, body) => {
    expect(await statuses(port(), post(fields, body) + second)).toEqual(['400']);
  });

  test.each([
    ['a URL of another server', `GET http://example.org${hidden} HTTP/1.1\r\nHost: 127.0.0.1\r\n`],
    ['a foreign host name that resolves to this machine', `GET ${hidden} HTTP/1.1\r\nHost: rebound.example.org\r\n`],
    ['a tunnel', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    ['no host', `GET ${hidden} HTTP/1.1\r\n`],
  ])('a request for %s gets no data', async (_what, head) => {
    expect(await statuses(port(), `${head}Connection: close\r\n\r\n`)).not.toContain('200');
  });
});
