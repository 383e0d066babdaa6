import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openLocalCertificate } from '../../../../lib/local/certificate.ts';
import { startOrigin, startTestEdge } from './edge-setup.ts';
import { forwardTo } from './forwarding.ts';

test('the edge reuses an https connection after a whole object', async () => {
  const object = Buffer.alloc(70_000, 'x');
  const { port } = await startOrigin((_, response) => response.end(object));
  const shown = await openLocalCertificate(undefined, Date.now);
  const edge = await startTestEdge({ serveObject: forwardTo(port), certificate: shown });
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: shown.authority });
  onTestFinished(() => agent.destroy());

  const usedAgain: boolean[] = [];
  for (let round = 0; round < 5; round++) {
    const { promise, resolve, reject } = Promise.withResolvers<{ bytes: Buffer }>();
    const request = https.get(`${edge.url}/object`, { agent }, (answer) => {
      buffer(answer).then((bytes) => resolve({ bytes }), reject);
    });
    request.on('error', reject);
    expect((await promise).bytes.equals(object)).toBe(true);
    usedAgain.push(request.reusedSocket);
    // The end of the TLS connection would come after the response.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  expect(usedAgain).toEqual([false, true, true, true, true]);
});
