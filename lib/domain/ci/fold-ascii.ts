/**
 * Converts only ASCII letters to lower case. Full conversion would turn U+212A into "k" and accept a name that only
 * looks like the trusted one.
 */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
