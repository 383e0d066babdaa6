import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { reportHeaders } from '../../lib/domain/changes/leaked-key-reports.ts';
import { serve } from './http-server.ts';

/** Starts a secret-scanning partner on this machine, which publishes keys and signs reports with them. */
export async function startPartner() {
  const keys = new Map<string, KeyObject>();
  const { url, close } = await serve((_, response) => {
    partner.fetches += 1;
    response.writeHead(partner.isDown ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ public_keys: partner.published }));
  });
  const partner = {
    keysUrl: `${url}/keys`,
    close,
    published: [] as unknown[],
    fetches: 0,
    isDown: false,
    addKey(key_identifier: string, namedCurve = 'P-256') {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
      keys.set(key_identifier, privateKey);
      const key = publicKey.export({ type: 'spki', format: 'pem' });
      partner.published.push({ key_identifier, key, is_current: true });
    },
    /** Returns the headers that sign a body. */
    headers(body: string | Uint8Array, identifier = 'current'): Record<string, string> {
      const key = keys.get(identifier);
      if (key === undefined) throw new Error(`no key ${identifier}`);
      return {
        'content-type': 'application/json',
        [reportHeaders.keyIdentifier]: identifier,
        [reportHeaders.signature]: sign('sha256', Buffer.from(body), key).toString('base64'),
      };
    },
  };
  partner.addKey('current');
  return partner;
}
