import { ServiceError } from '../domain/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses an `application/x-www-form-urlencoded` body strictly. Throws `invalid_request` for a bad escape, invalid
 * UTF-8, or a repeated name, because two parsers could read these differently.
 */
export function parseForm(body: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const pair of decodeUtf8(body).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
    if (fields.has(name)) throw new ServiceError('invalid_request', 'A parameter must not be given twice');
    fields.set(name, equals < 0 ? '' : decodeField(pair.slice(equals + 1)));
  }
  return fields;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError('invalid_request', 'The body must be UTF-8');
  }
}

function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ServiceError('invalid_request', 'The body has a broken percent-escape');
  }
}
