/** A value of a cell; `null` is nothing there, `undefined` is not read. */
export type Cell = string | null | undefined;

const charactersMax = 200;
const nameCharactersMax = 40;
const depthMax = 4;
const bytesShown = 24;

/** A value as text of some 200 characters at most, whatever it is. */
export function cellOf(value: unknown, isSingle = false): Cell {
  if (value === undefined || value === null) return value;
  if (typeof value === 'number') return numberText(value, isSingle);
  return describe(value, 0);
}

/** `name…`, where it is longer. */
export function cutText(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

function numberText(value: number, isSingle: boolean): string {
  // A number of 32 bits holds 7 digits; what follows is what 64 bits make of them.
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(isSingle ? 7 : 15)));
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
  // Not Object.entries: a list may be long, and few of its values are shown.
  for (const key in value) {
    const part = describe((value as Record<string, unknown>)[key], depth + 1);
    text += `${text === open ? '' : ', '}${isList ? '' : `${cutText(key, nameCharactersMax)}: `}${part}`;
    if (text.length > charactersMax) return cutText(text, charactersMax);
  }
  return text + close;
}

/** Text where it is text, as older writers do not say so. */
function bytesText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, charactersMax + 1));
  if (!/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/.test(text)) return cutText(text, charactersMax);
  const hex = Array.from(bytes.subarray(0, bytesShown), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `0x${hex}${bytes.byteLength > bytesShown ? `… (${bytes.byteLength} bytes)` : ''}`;
}
