import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { canonicalRequest, type SignableRequest } from '../../../lib/sigv4/canonical.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { computeSignature } from '../../../lib/sigv4/sign.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';

const folder = fileURLToPath(new URL('../../../../shared/vectors/sigv4', import.meta.url));
const isThere = existsSync(folder);
const cases = isThere ? readdirSync(folder) : [];

const contextSchema = z.object({
  credentials: z.object({ access_key_id: z.string(), secret_access_key: z.string() }),
  region: z.string(),
  service: z.string(),
  timestamp: z.string(),
  normalize: z.boolean(),
  omit_session_token: z.boolean().optional(),
});

const emptyHash = createHash('sha256').digest('hex');

describe.skipIf(!isThere)('the published signing suite', () => {
  test('has 38 cases', () => {
    expect(cases).toHaveLength(38);
  });

  for (const form of ['header', 'query'] as const) {
    test.each(cases)(`${form} form of %s has the published canonical request and signature, and verifies`, (name) => {
      const read = (file: string) => readFileSync(join(folder, name, file), 'latin1');
      const context = contextSchema.parse(JSON.parse(read('context.json')));
      const { request, body } = parseRequest(read(`${form}-signed-request.txt`));
      // This service requires a signed token. A token that is added after signing is not covered by the signature.
      const tokenIsUnsigned = context.omit_session_token === true;
      const covered = tokenIsUnsigned ? withoutToken(request) : request;

      const presented = readSignature(covered);
      if (presented === undefined) throw new Error('the signature was not seen');
      const payloadHash = body === '' ? emptyHash : createHash('sha256').update(body, 'latin1').digest('hex');
      const options = { signedHeaders: presented.signed_headers, payloadHash, normalizePath: context.normalize };
      const canonical = canonicalRequest(covered, options);
      expect(canonical).toBe(read(`${form}-canonical-request.txt`));
      const canonicalHash = createHash('sha256').update(canonical).digest('hex');
      expect(read(`${form}-string-to-sign.txt`).endsWith(`\n${canonicalHash}`)).toBe(true);
      const secret = context.credentials;
      const signature = computeSignature(canonicalHash, presented.amz_date, presented, secret).toString('hex');
      expect(signature).toBe(read(`${form}-signature.txt`));
      expect(presented.access_key_id).toBe(context.credentials.access_key_id);

      const verify = (candidate: SignableRequest) =>
        verifySignature(candidate, presented, secret, {
          now: Date.parse(context.timestamp),
          service: context.service,
          payloadHash,
          normalizePath: context.normalize,
        });
      expect(() => verify(covered)).not.toThrow();
      if (tokenIsUnsigned) expect(() => verify(request)).toThrow();
    });
  }
});

function withoutToken(request: SignableRequest): SignableRequest {
  const { 'x-amz-security-token': _, ...headers } = request.headers;
  return { ...request, headers, rawQuery: request.rawQuery.replace(/&X-Amz-Security-Token=[^&]*/, '') };
}

function parseRequest(text: string): { request: SignableRequest; body: string } {
  const [head = '', body = ''] = text.split(/\n\n(.*)/s);
  const [requestLine = '', ...lines] = head.replace(/\n +/g, '\n ').split(/\n(?! )/);
  const [, method = '', target = ''] = /^(\S+) (.*) HTTP\/1\.1$/.exec(requestLine) ?? [];
  const question = target.indexOf('?');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1);
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value.trim()}`;
  }
  return {
    request: {
      method,
      rawPath: question < 0 ? target : target.slice(0, question),
      rawQuery: question < 0 ? '' : target.slice(question + 1),
      headers,
    },
    body,
  };
}
