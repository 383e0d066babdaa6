/**
 * Folding stops at ASCII: full lower-casing would turn U+212A into "k" and let a name pass that only looks like the
 * trusted one.
 */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
