/** What the public revocation takes. */
export type FoundKey = string | { access_key_id: string; secret_access_key: string };

export interface FoundKeys {
  keys: readonly FoundKey[];
  /** Of access keys, those without any secret in the text: alone they revoke nothing. */
  withoutSecret: readonly string[];
  /** Of access keys, those with more texts near them that could be the secret than are tried: they may still work. */
  partlyTried: readonly string[];
  /** What begins as a key of a service account and is not as long as one: their names. */
  cutShort: readonly string[];
  /** IDs of temporary credentials, which nobody revokes: they end. */
  temporary: readonly string[];
  /** IDs of AWS's own access keys, which are none of ours and are sent nowhere. */
  ofAws: readonly string[];
}

const wholeKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g;
const anyKey = /(?<![0-9A-Za-z])sck_[0-9A-Za-z]*/g;
const accessKeyId = /(?<![0-9A-Za-z])SCAK[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const temporaryId = /(?<![0-9A-Za-z])SCTA[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const awsKeyId = /(?<![0-9A-Za-z])A(?:KI|SI)A[A-Z2-7]{16}(?![0-9A-Za-z])/g;
const secret = /(?<![0-9A-Za-z])[0-9A-Za-z]{64}(?![0-9A-Za-z])/g;

/** Pairs of one text, as many as one request takes; however many IDs there are, each has its nearest few. */
const pairsMax = 1000;
const secretsTriedMin = 8;

interface Place {
  value: string;
  index: number;
}

const placesOf = (text: string, form: RegExp): Place[] =>
  [...text.matchAll(form)].map(({ 0: value, index }) => ({ value, index }));

/**
 * The keys in a text that somebody pasted: a file, a log, a line of a chat. Nothing in it says which secret belongs to which
 * ID, and a checksum has the form of a secret: so each ID comes with every one in the text, or where those are too many with
 * the nearest. A pair that does not belong together revokes nothing.
 */
export function findKeys(text: string): FoundKeys {
  const whole = new Set(text.match(wholeKey) ?? []);
  const cutShort = [...new Set(text.match(anyKey) ?? [])].filter((begun) => !whole.has(begun));
  const secrets = placesOf(text, secret);
  const distinct = new Set(secrets.map(({ value }) => value));
  const ids = new Map(placesOf(text, accessKeyId).map(({ value, index }) => [value, index]));
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

/** Of places in the order of the text, so many around `index`. Looks at no others: a text of a million letters has thousands. */
function nearest(places: readonly Place[], index: number, count: number): Set<string> {
  let after = 0;
  for (let end = places.length; after < end; ) {
    const middle = (after + end) >>> 1;
    if ((places[middle]?.index ?? 0) < index) after = middle + 1;
    else end = middle;
  }
  let before = after - 1;
  const found = new Set<string>();
  for (let taken = 0; taken < count; taken += 1) {
    const [left, right] = [places[before], places[after]];
    const isLeft = left !== undefined && (right === undefined || index - left.index <= right.index - index);
    const next = isLeft ? left : right;
    if (next === undefined) break;
    if (isLeft) before -= 1;
    else after += 1;
    found.add(next.value);
  }
  return found;
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
