/** What the public revocation takes. */
export type FoundKey = string | { access_key_id: string; secret_access_key: string };

export interface FoundKeys {
  keys: readonly FoundKey[];
  /** Of access keys, those whose secret is not in the text: alone they revoke nothing. */
  withoutSecret: readonly string[];
  /** What begins as a key of a service account and is not as long as one. */
  cutShort: number;
}

const wholeKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g;
const anyKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]*/g;
const accessKeyId = /(?<![0-9A-Za-z])SCAK[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const secret = /(?<![0-9A-Za-z])[0-9A-Za-z]{64}(?![0-9A-Za-z])/g;

/**
 * The keys in a text that somebody pasted: a file, a log, a line of a chat. The secret of an access key is the first text
 * of its form that comes after its ID, or else before it, and belongs to no other.
 */
export function findKeys(text: string): FoundKeys {
  const whole = [...new Set(text.match(wholeKey) ?? [])];
  const begun = new Set(text.match(anyKey) ?? []);
  const secrets = [...text.matchAll(secret)].map((match) => ({ value: match[0], index: match.index }));
  const ids = new Map([...text.matchAll(accessKeyId)].map((match) => [match[0], match.index]));
  const pairs: FoundKey[] = [];
  const withoutSecret: string[] = [];
  for (const [access_key_id, index] of ids) {
    const after = secrets.findIndex((each) => each.index > index);
    const chosen = after >= 0 ? after : secrets.length - 1;
    const [taken] = chosen < 0 ? [] : secrets.splice(chosen, 1);
    if (taken === undefined) withoutSecret.push(access_key_id);
    else pairs.push({ access_key_id, secret_access_key: taken.value });
  }
  return { keys: [...whole, ...pairs], withoutSecret, cutShort: begun.size - whole.length };
}

/** Enough to tell it from others by, and nothing that opens anything. */
export function nameOfKey(key: FoundKey): string {
  return typeof key === 'string' ? `${key.slice(0, 8)}…` : key.access_key_id;
}
