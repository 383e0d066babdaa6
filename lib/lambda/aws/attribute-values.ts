/** DynamoDB's encoding of values (DynamoDB API reference, AttributeValue). */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { B: string }
  | { L: AttributeValue[] }
  | { M: AttributeMap }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] };
export type AttributeMap = { [name: string]: AttributeValue };

/**
 * Encodes a record for DynamoDB. Drops undefined values in maps and lists. Throws Error for types without an encoding.
 */
export function marshallMap(record: object): AttributeMap {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, marshall(value)]])),
  );
}

function marshall(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: formatNumber(value) };
  if (typeof value === 'bigint') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter((entry) => entry !== undefined).map(marshall) };
  if (value instanceof Uint8Array) return { B: toBase64(value) };
  if (value instanceof Set) return marshallSet([...value]);
  if (typeof value === 'object') return { M: marshallMap(value) };
  throw new Error(`DynamoDB has no type for a ${typeof value}`);
}

function marshallSet(members: readonly unknown[]): AttributeValue {
  const first = members[0];
  if (members.every((member) => typeof member === 'string') && first !== undefined) return { SS: [...members] };
  if (members.every((member) => typeof member === 'number') && first !== undefined) {
    return { NS: members.map(formatNumber) };
  }
  if (members.every((member) => member instanceof Uint8Array) && first !== undefined) {
    return { BS: members.map(toBase64) };
  }
  throw new Error('a set holds strings, numbers or bytes, and at least one of them');
}

/** Rejects numbers beyond `Number.MAX_SAFE_INTEGER`, which could lose digits. */
function formatNumber(value: number): string {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw new Error(`${value} cannot be stored as it is`);
  }
  return String(value);
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export function unmarshallMap(map: AttributeMap): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, unmarshall(value)]));
}

function unmarshall(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return parseNumber(value.N);
  if ('M' in value) return unmarshallMap(value.M);
  if ('L' in value) return value.L.map(unmarshall);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(parseNumber));
  if ('B' in value) return fromBase64(value.B);
  if ('BS' in value) return new Set(value.BS.map(fromBase64));
  throw new Error(`DynamoDB answered with a value of an unknown type: ${Object.keys(value).join()}`);
}

function parseNumber(text: string): number | bigint {
  const value = Number(text);
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? BigInt(text) : value;
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
