import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportHeaders } from '../../lib/domain/changes/leaked-key-reports.ts';

/** Starts a secret-scanning partner on this machine, which publishes a key and signs reports with it. */
export async function startPartner() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const published = {
    public_keys: [
      { key_identifier: 'partner-1', key: publicKey.export({ type: 'spki', format: 'pem' }), is_current: true },
    ],
  };
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(published));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    keysUrl: `http://127.0.0.1:${port}/keys`,
    /** Returns the headers that sign a body. */
    sign: (body: string): Record<string, string> => ({
      [reportHeaders.keyIdentifier]: 'partner-1',
      [reportHeaders.signature]: sign('sha256', Buffer.from(body), privateKey).toString('base64'),
    }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
