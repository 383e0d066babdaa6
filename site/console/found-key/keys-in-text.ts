/** What the public revocation takes. */
export type FoundKey = string | { access_key_id: string; secret_access_key: string };

export interface FoundKeys {
  keys: readonly FoundKey[];
  /** Of access keys, those without any secret in the text: alone they revoke nothing. */
  withoutSecret: readonly string[];
  /** What begins as a key of a service account and is not as long as one. */
  cutShort: number;
  /** IDs of temporary credentials, which nobody revokes: they end. */
  temporary: readonly string[];
}

const wholeKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g;
const anyKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]*/g;
const accessKeyId = /(?<![0-9A-Za-z])SCAK[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const temporaryId = /(?<![0-9A-Za-z])SCTA[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const secret = /(?<![0-9A-Za-z])[0-9A-Za-z]{64}(?![0-9A-Za-z])/g;

/** Of each ID. What is no secret, such as a checksum, may have the form of one and stand between. */
const secretsTriedMax = 8;

/**
 * The keys in a text that somebody pasted: a file, a log, a line of a chat. Nothing in it says which secret belongs to which
 * ID, so each ID comes with every secret that stands near; a pair that does not belong together revokes nothing.
 */
export function findKeys(text: string): FoundKeys {
  const whole = [...new Set(text.match(wholeKey) ?? [])];
  const begun = new Set(text.match(anyKey) ?? []);
  const secrets = [...text.matchAll(secret)].map((match) => ({ value: match[0], index: match.index }));
  const ids = new Map([...text.matchAll(accessKeyId)].map((match) => [match[0], match.index]));
  const pairs = [...ids].flatMap(([access_key_id, index]) =>
    secrets
      .toSorted((one, other) => Math.abs(one.index - index) - Math.abs(other.index - index))
      .slice(0, secretsTriedMax)
      .map(({ value }) => ({ access_key_id, secret_access_key: value })),
  );
  return {
    keys: [...whole, ...pairs],
    withoutSecret: secrets.length === 0 ? [...ids.keys()] : [],
    cutShort: begun.size - whole.length,
    temporary: [...new Set(text.match(temporaryId) ?? [])],
  };
}

/** Enough to tell it from others by, and nothing that opens anything. */
export function nameOfKey(key: FoundKey): string {
  return typeof key === 'string' ? `${key.slice(0, 8)}…` : key.access_key_id;
}

/** Each key once, however many secrets are tried for it. */
export function namesOfKeys(keys: readonly FoundKey[]): string[] {
  return [...new Set(keys.map((key) => (typeof key === 'string' ? key : key.access_key_id)))].map((key) =>
    key.startsWith('sck_') ? nameOfKey(key) : key,
  );
}
