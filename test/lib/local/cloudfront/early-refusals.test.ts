import http from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createResponseHandler } from '../../../../lib/edge/shape-response-handler.ts';
import { readAnswer } from '../http-client.ts';
import { startRawOrigin, startTestEdge } from './edge-setup.ts';
import { forwardTo } from './forwarding.ts';

const megabyte = 1024 * 1024;

const refusal = (status: string, fields = '') =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Type: application/xml\r\nContent-Length: 31\r\n\r\n<Error><Code>Leaky</Code></Error>`.slice(
    0,
    -2,
  );

/** Sends `sentBytes` of a body whose declared length is larger, unless the response comes first. */
async function upload(port: number, { saidBytes, sentBytes }: { saidBytes: number; sentBytes: number }) {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const headers = { 'content-length': saidBytes };
  const request = http.request({ host: '127.0.0.1', port, method: 'PUT', path: '/a', headers, agent: false });
  request.on('response', resolve).on('error', reject);
  request.write(Buffer.alloc(sentBytes));
  if (sentBytes === saidBytes) request.end();
  const answer = await readAnswer(await promise);
  request.destroy();
  return answer;
}

const endings: [string, (socket: Socket, text: string) => void][] = [
  ['continues to read', (socket, text) => void socket.write(text)],
  ['stops reading', (socket, text) => void socket.pause().write(text)],
  ['closes the connection', (socket, text) => void socket.end(text)],
  ['resets the connection', (socket, text) => void socket.write(text, () => socket.resetAndDestroy())],
];

describe.each(endings)('a storage that refuses an upload early and %s', (_, end) => {
  const shapeResponse = createResponseHandler({
    checkStorage: async () => undefined,
    clock: Date.now,
    openDataCacheSeconds: 60,
    log: () => undefined,
  });
  test.each([
    ['503 Slow Down', 'Retry-After: 7\r\n', 503, 'SlowDown', '7'],
    ['503 Slow Down', '', 503, 'SlowDown', '1'],
    ['429 Too Many Requests', 'Retry-After: 2\r\n', 503, 'SlowDown', '2'],
    ['400 Bad Request', '', 400, 'InvalidRequest', undefined],
    ['403 Forbidden', '', 403, 'AccessDenied', undefined],
  ])('is understood when it answers %s, %j', async (status, fields, shownStatus, code, retryAfter) => {
    // A test origin that answers after the head of a request, before the body.
    const { port } = await startRawOrigin((socket) => end(socket, refusal(status, fields)));
    const edge = await startTestEdge({ serveObject: forwardTo(port), shapeResponse });
    for (const sizes of [
      { saidBytes: 64 * megabyte, sentBytes: 2 * megabyte },
      { saidBytes: 16 * megabyte, sentBytes: 16 * megabyte },
      { saidBytes: 10, sentBytes: 10 },
    ]) {
      const answer = await upload(edge.port, sizes);
      expect([answer.status, answer.headers['retry-after']]).toEqual([shownStatus, retryAfter]);
      expect(answer.body.toString()).toContain(`<Code>${code}</Code>`);
    }
  });
});
