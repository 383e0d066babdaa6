import { createHash, createHmac } from 'node:crypto';

const sha256 = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * Builds a body of signed chunks for a signed request, as the protocol documentation describes and without the code
 * under test. Pieces are Latin-1.
 */
export function signedChunks(
  headers: Record<string, unknown>,
  secretAccessKey: string,
  pieces: readonly string[],
  trailer?: readonly [name: string, value: string],
): string {
  const authorization = String(headers['authorization']);
  const date = String(headers['x-amz-date']);
  const scope = /Credential=[^/]+\/([^,]+)/.exec(authorization)?.[1] ?? '';
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  let previous = /Signature=(\w+)/.exec(authorization)?.[1] ?? '';
  const sign = (algorithm: string, ...hashes: string[]) => {
    previous = hmac(key, [algorithm, date, scope, previous, ...hashes].join('\n')).toString('hex');
    return previous;
  };
  let body = '';
  for (const piece of [...pieces, '']) {
    const signature = sign('AWS4-HMAC-SHA256-PAYLOAD', sha256(''), sha256(piece));
    body += `${piece.length.toString(16)};chunk-signature=${signature}\r\n${piece}${piece === '' ? '' : '\r\n'}`;
  }
  if (trailer === undefined) return `${body}\r\n`;
  const line = trailer.join(':');
  return `${body}${line}\r\nx-amz-trailer-signature:${sign('AWS4-HMAC-SHA256-TRAILER', sha256(`${line}\n`))}\r\n\r\n`;
}
