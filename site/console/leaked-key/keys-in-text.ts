/** A key in the form that the public revocation API accepts. */
export type FoundKey = string | { access_key_id: string; secret_access_key: string };

export interface FoundKeys {
  keys: readonly FoundKey[];
  /** IDs of access keys in a text that contains no secret. The API revokes no key by its ID alone. */
  withoutSecret: readonly string[];
  /**
   * IDs of access keys for which the text has more possible secrets than the page sends. These keys may still be valid.
   */
  partlyTried: readonly string[];
  /** Shortened names of service account keys that the text contains only in part. */
  cutShort: readonly string[];
  /** IDs of temporary credentials. They expire and cannot be revoked. */
  temporary: readonly string[];
  /** IDs of AWS access keys. The page never sends them. */
  ofAws: readonly string[];
}

const wholeKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g;
const anyKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]*/g;
const accessKeyId = /(?<![0-9A-Za-z])SCAK[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const temporaryId = /(?<![0-9A-Za-z])SCTA[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const awsKeyId = /(?<![0-9A-Za-z])A(?:KI|SI)A[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const secret = /(?<![0-9A-Za-z])[0-9A-Za-z]{64}(?![0-9A-Za-z])/g;

/**
 * The API's maximum number of pairs for one text. Each ID is paired with at least `secretsTriedMin` possible secrets.
 */
const pairsMax = 1000;
const secretsTriedMin = 8;

interface Match {
  value: string;
  index: number;
}

const matchesOf = (text: string, form: RegExp): Match[] =>
  [...text.matchAll(form)].map(({ 0: value, index }) => ({ value, index }));

/**
 * Finds keys in a pasted text, such as a file, a log, or a chat message.
 * The text does not say which secret belongs to which ID, and a checksum can look like a secret. Each ID is therefore
 * paired with all possible secrets, or with the nearest ones in the text if there are too many. A wrong pair revokes no
 * key.
 */
export function findKeys(text: string): FoundKeys {
  const whole = new Set(text.match(wholeKey) ?? []);
  const cutShort = [...new Set(text.match(anyKey) ?? [])].filter((begun) => !whole.has(begun));
  const secrets = matchesOf(text, secret);
  const distinct = new Set(secrets.map(({ value }) => value));
  const ids = new Map(matchesOf(text, accessKeyId).map(({ value, index }) => [value, index]));
  const triedMax = Math.max(secretsTriedMin, Math.floor(pairsMax / Math.max(1, ids.size)));
  const isEachTried = distinct.size <= triedMax;
  const pairs = [...ids].flatMap(([access_key_id, index]) =>
    [...(isEachTried ? distinct : nearest(secrets, index, triedMax))].map((secret_access_key) => ({
      access_key_id,
      secret_access_key,
    })),
  );
  return {
    keys: [...whole, ...pairs],
    withoutSecret: secrets.length === 0 ? [...ids.keys()] : [],
    partlyTried: isEachTried ? [] : [...ids.keys()],
    cutShort: [...new Set(cutShort.map(nameOfKey))],
    temporary: [...new Set(text.match(temporaryId) ?? [])],
    ofAws: [...new Set(text.match(awsKeyId) ?? [])],
  };
}

/**
 * Returns the `count` matches nearest to `index` in the text. Uses a binary search, because a long text has thousands
 * of matches.
 */
function nearest(matches: readonly Match[], index: number, count: number): Set<string> {
  let after = 0;
  for (let end = matches.length; after < end; ) {
    const middle = (after + end) >>> 1;
    if ((matches[middle]?.index ?? 0) < index) after = middle + 1;
    else end = middle;
  }
  let before = after - 1;
  const found = new Set<string>();
  for (let taken = 0; taken < count; taken += 1) {
    const [left, right] = [matches[before], matches[after]];
    const isLeft = left !== undefined && (right === undefined || index - left.index <= right.index - index);
    const next = isLeft ? left : right;
    if (next === undefined) break;
    if (isLeft) before -= 1;
    else after += 1;
    found.add(next.value);
  }
  return found;
}

/** Returns a short name that identifies a key to the user. It does not disclose the secret. */
function nameOfKey(key: FoundKey): string {
  return typeof key === 'string' ? `${key.slice(0, 8)}…` : key.access_key_id;
}

/** Returns the names of the keys without duplicates. */
export function namesOfKeys(keys: readonly FoundKey[]): string[] {
  return [...new Set(keys.map((key) => (typeof key === 'string' ? key : key.access_key_id)))].map((key) =>
    key.startsWith('sck_') ? nameOfKey(key) : key,
  );
}
