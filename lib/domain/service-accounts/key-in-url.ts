// CloudFront's viewer functions import this file, so it must compile to the syntax of their runtime
// (`lib/edge/viewer`).

/**
 * Returns true if a URL (path and query as received) may contain a service account key, with or without
 * percent-encoding. The function searches for `sck_` and 30 instead of 36 characters, because a key without its end
 * still reveals most of the secret.
 */
export function carriesServiceAccountKey(url: string): boolean {
  let text = url;
  for (let round = 0; round < 3; round += 1) {
    const decoded = text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === text) break;
    if (/sck_[0-9A-Za-z]{30}/.test(text)) return true;
    text = decoded;
  }
  return /sck_[0-9A-Za-z]{30}/.test(text);
}

export const keyInUrlMessage = 'API key must be sent in the request body, not the URL';
