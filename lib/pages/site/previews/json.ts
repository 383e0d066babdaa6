// The server and the browser's workers read untrusted JSON only with the functions of this file.

export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object. Returns an empty object for any other value. */
export function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** Returns the value if it is a list. Returns an empty list for any other value. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parses the text of a JSON object. Returns undefined for any other text. */
export function parseRecord(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
