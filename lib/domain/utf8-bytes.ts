/** Returns the length in UTF-8 like `Buffer.byteLength`, but also works in a browser. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
