/** The text of a table cell. `null` means an empty cell, and `undefined` a cell that was not read. */
export type Cell = string | null | undefined;

const charactersMax = 200;
const nameCharactersMax = 40;
const depthMax = 4;
const bytesShown = 24;

/** Formats a value as text of at most about 200 characters. */
export function cellOf(value: unknown, isSingle = false): Cell {
  if (value === undefined || value === null) return value;
  if (typeof value === 'number') return numberText(value, isSingle);
  return describe(value, 0);
}

/** Cuts a text that is longer than the maximum, and adds `…`. */
export function cutText(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

/** Formats a number with at most this many significant digits. */
export function significantText(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

function numberText(value: number, isSingle: boolean): string {
  // A 32-bit float has 7 significant digits. Cut all further digits, because they only come from its conversion to 64
  // bits.
  return Number.isInteger(value) ? String(value) : significantText(value, isSingle ? 7 : 15);
}

function describe(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return cutText(value, charactersMax);
  if (typeof value === 'number') return numberText(value, false);
  if (value instanceof Uint8Array) return bytesText(value);
  if (typeof value !== 'object') return cutText(String(value), charactersMax);
  if (depth >= depthMax) return '…';
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  let text = open;
  // Do not use `Object.entries`, because it would copy the whole object, and the page shows only a few of its values.
  for (const key in value) {
    const part = describe((value as Record<string, unknown>)[key], depth + 1);
    text += `${text === open ? '' : ', '}${isList ? '' : `${cutText(key, nameCharactersMax)}: `}${part}`;
    if (text.length > charactersMax) return cutText(text, charactersMax);
  }
  return text + close;
}

/**
 * Returns the text in a byte array, if the bytes are valid text. Older programs write texts as bytes without a type.
 */
function bytesText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, charactersMax + 1));
  if (!/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/.test(text)) return cutText(text, charactersMax);
  const hex = Array.from(bytes.subarray(0, bytesShown), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `0x${hex}${bytes.byteLength > bytesShown ? `… (${bytes.byteLength} bytes)` : ''}`;
}
