import type { Versioned } from '../domain/versions.ts';
import { schemaVersion } from './codec.ts';

/** The conditions of a write. Each field maps attribute names to values, and all conditions must hold. */
export interface Condition {
  exists?: boolean;
  /** Requires this value. An undefined value requires that the item lacks the attribute. */
  equals?: Readonly<Record<string, unknown>>;
  lessThan?: Readonly<Record<string, number>>;
  greaterThan?: Readonly<Record<string, number>>;
  /**
   * Requires that the attribute is absent or less than the value. DynamoDB compares numbers by value and timestamps as
   * texts.
   */
  absentOrLessThan?: Readonly<Record<string, number | string>>;
  /** Requires that the attribute is absent or has this value. */
  absentOrEquals?: Readonly<Record<string, unknown>>;
  /** Requires that the attribute is absent or has another value. */
  absentOrNot?: Readonly<Record<string, unknown>>;
  /** Requires that there is no item, or that the item's attribute has another value. */
  noItemOrOther?: Readonly<Record<string, unknown>>;
}

export interface Change {
  set?: Readonly<Record<string, unknown>>;
  add?: Readonly<Record<string, number>>;
  remove?: readonly string[];
}

/** Converts attributes to an update of an item. An undefined value removes the attribute. */
export function changeTo(wanted: Readonly<Record<string, unknown>>): {
  set: Record<string, unknown>;
  remove: string[];
} {
  const entries = Object.entries(wanted);
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    remove: entries.filter(([, value]) => value === undefined).map(([name]) => name),
  };
}

export interface Expressions {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

/**
 * Builds the DynamoDB expressions of a request. Attribute names use placeholders, because many of them are reserved
 * words.
 */
export function buildExpressions(condition: Condition | undefined, change: Change | undefined): Expressions {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const nameOf = (path: string) => {
    const placeholders = path.split('.').map((attribute) => {
      names[`#${attribute}`] = attribute;
      return `#${attribute}`;
    });
    return placeholders.join('.');
  };
  const placeholderOf = (value: unknown) => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = value;
    return placeholder;
  };
  const each = <Value>(
    operands: Readonly<Record<string, Value>> | undefined,
    text: (name: string, value: Value) => string,
  ) => Object.entries<Value>(operands ?? {}).map(([attribute, value]) => text(nameOf(attribute), value));
  const compare = (operator: string) => (name: string, value: unknown) =>
    value === undefined ? absent(name) : `${name} ${operator} ${placeholderOf(value)}`;
  const absentOr = (operator: string) => (name: string, value: unknown) =>
    `(${absent(name)} OR ${compare(operator)(name, value)})`;

  const { exists, equals, lessThan, greaterThan } = condition ?? {};
  const { absentOrLessThan, absentOrEquals, absentOrNot, noItemOrOther } = condition ?? {};
  const conditions = [
    ...(exists === undefined ? [] : [exists ? present(nameOf('pk')) : absent(nameOf('pk'))]),
    ...each(equals, compare('=')),
    ...each(lessThan, compare('<')),
    ...each(greaterThan, compare('>')),
    ...each(
      absentOrLessThan,
      (name, value) => `(${absent(name)} OR ${compare('=')(name, null)} OR ${compare('<')(name, value)})`,
    ),
    ...each(absentOrEquals, absentOr('=')),
    ...each(absentOrNot, absentOr('<>')),
    ...each(
      noItemOrOther,
      (name, value) => `(${absent(nameOf('pk'))} OR (${present(name)} AND ${compare('<>')(name, value)}))`,
    ),
  ];
  const { set, add, remove = [] } = change ?? {};
  // An update that sets `entity` can create the item, so it must set the schema version as well.
  const sets = each(set?.['entity'] === undefined ? set : { ...set, schema: schemaVersion }, compare('='));
  const adds = each(add, (name, value) => `${name} ${placeholderOf(value)}`);
  const update = [
    ['SET', sets],
    ['ADD', adds],
    ['REMOVE', remove.map(nameOf)],
  ].flatMap(([clause, parts = []]) => (parts.length > 0 ? [`${clause} ${[parts].flat().join(', ')}`] : []));

  return {
    ...(conditions.length > 0 ? { ConditionExpression: conditions.join(' AND ') } : {}),
    ...(update.length > 0 ? { UpdateExpression: update.join(' ') } : {}),
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  };
}

const absent = (name: string) => `attribute_not_exists(${name})`;
const present = (name: string) => `attribute_exists(${name})`;

/**
 * Returns the condition that a record is unchanged since it was read. The condition fails if the record was deleted and
 * created again.
 */
export function ifUnchanged({ version, uid }: Versioned & { uid?: string | undefined }): Condition {
  return { equals: { version, uid } };
}

/** Returns the next version number of a record. Every change of the record must set it. */
export function nextVersion({ version }: Versioned): Versioned {
  return { version: version + 1 };
}
