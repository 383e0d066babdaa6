const ellipsis = '…';

/**
 * Returns untrusted text in a form that is safe to store and show. Invisible characters, characters that change the
 * reading direction, and the backslash are replaced by escapes such as `\u{202e}`. Text above `bytesMax` bytes of UTF-8
 * is cut between two characters and ends in "…".
 */
export function shownText(text: string, bytesMax: number): string {
  const parts = Array.from(text, escaped);
  if (Buffer.byteLength(parts.join('')) <= bytesMax) return parts.join('');
  let shown = '';
  for (const part of parts) {
    if (Buffer.byteLength(shown + part + ellipsis) > bytesMax) break;
    shown += part;
  }
  return shown + ellipsis;
}

function escaped(character: string): string {
  return /[\p{C}\p{Zl}\p{Zp}\\]/u.test(character) ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character;
}
