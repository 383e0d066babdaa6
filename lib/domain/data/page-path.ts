// CloudFront's viewer functions import this file.

/**
 * Returns true if the path of a URL can contain the key. Browsers remove dot segments from paths, even escaped ones, so
 * the pages of keys with dot segments have the parameter `path`.
 */
export function fitsIntoPath(key: string): boolean {
  return !key.split('/').some((segment) => segment === '.' || segment === '..');
}

/** Escapes a key for the path of a URL. Slashes stay. */
export function escapedKey(key: string): string {
  return key
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
}

/** Returns the key in a percent-encoded path. Returns undefined for an invalid escape sequence. */
export function keyOfPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
