/** Returns the length of a text in UTF-8. Unlike `Buffer.byteLength`, it works in a browser. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
