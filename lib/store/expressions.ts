import type { Versioned } from '../domain/versions.ts';
import { schemaVersion } from './codec.ts';

/** The conditions that the store uses, by attribute. All of them must hold. */
export interface Condition {
  exists?: boolean;
  equals?: Readonly<Record<string, unknown>>;
  /** Equal to the value. An undefined value means that the attribute is absent. */
  equalsOrAbsent?: Readonly<Record<string, unknown>>;
  lessThan?: Readonly<Record<string, number>>;
  greaterThan?: Readonly<Record<string, number>>;
  /** Absent, or less than the value. Numbers and timestamps compare in DynamoDB's order. */
  absentOrLessThan?: Readonly<Record<string, number | string>>;
  /** Absent, or equal to the value. */
  absentOrEquals?: Readonly<Record<string, unknown>>;
  /** Absent, or another value. */
  absentOrNot?: Readonly<Record<string, unknown>>;
  /** No item, or an item that has the attribute with another value. */
  noItemOrOther?: Readonly<Record<string, unknown>>;
  /** Absent or null. */
  absentOrNull?: readonly string[];
}

export interface Change {
  set?: Readonly<Record<string, unknown>>;
  add?: Readonly<Record<string, number>>;
  remove?: readonly string[];
}

/** Converts the wanted attributes to a change. An undefined value removes the attribute. */
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

/** Builds the expressions of a request. Names use placeholders, because many of them are reserved words. */
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
  const compare = (operator: string, operands: Readonly<Record<string, unknown>> | undefined) =>
    Object.entries(operands ?? {}).map(
      ([attribute, value]) => `${nameOf(attribute)} ${operator} ${placeholderOf(value)}`,
    );

  const conditions = [
    ...(condition?.exists === undefined
      ? []
      : [`${condition.exists ? 'attribute_exists' : 'attribute_not_exists'}(${nameOf('pk')})`]),
    ...compare('=', condition?.equals),
    ...Object.entries(condition?.equalsOrAbsent ?? {}).map(([attribute, value]) =>
      value === undefined
        ? `attribute_not_exists(${nameOf(attribute)})`
        : `${nameOf(attribute)} = ${placeholderOf(value)}`,
    ),
    ...compare('<', condition?.lessThan),
    ...compare('>', condition?.greaterThan),
    ...Object.entries(condition?.absentOrLessThan ?? {}).map(
      ([attribute, value]) =>
        `(attribute_not_exists(${nameOf(attribute)}) OR ${nameOf(attribute)} = ${placeholderOf(null)} OR ${nameOf(attribute)} < ${placeholderOf(value)})`,
    ),
    ...Object.entries(condition?.absentOrEquals ?? {}).map(
      ([attribute, value]) =>
        `(attribute_not_exists(${nameOf(attribute)}) OR ${nameOf(attribute)} = ${placeholderOf(value)})`,
    ),
    ...Object.entries(condition?.absentOrNot ?? {}).map(
      ([attribute, value]) =>
        `(attribute_not_exists(${nameOf(attribute)}) OR ${nameOf(attribute)} <> ${placeholderOf(value)})`,
    ),
    ...Object.entries(condition?.noItemOrOther ?? {}).map(
      ([attribute, value]) =>
        `(attribute_not_exists(${nameOf('pk')}) OR (attribute_exists(${nameOf(attribute)}) AND ${nameOf(attribute)} <> ${placeholderOf(value)}))`,
    ),
    ...(condition?.absentOrNull ?? []).map(
      (attribute) => `(attribute_not_exists(${nameOf(attribute)}) OR ${nameOf(attribute)} = ${placeholderOf(null)})`,
    ),
  ];
  // An update can create the item, which then needs its schema version too.
  const isOfEntity = change?.set?.['entity'] !== undefined;
  const sets = compare('=', isOfEntity ? { ...change.set, schema: schemaVersion } : change?.set);
  const adds = Object.entries(change?.add ?? {}).map(
    ([attribute, value]) => `${nameOf(attribute)} ${placeholderOf(value)}`,
  );
  const removes = (change?.remove ?? []).map(nameOf);
  const update = [
    sets.length > 0 ? `SET ${sets.join(', ')}` : '',
    adds.length > 0 ? `ADD ${adds.join(', ')}` : '',
    removes.length > 0 ? `REMOVE ${removes.join(', ')}` : '',
  ].filter((part) => part !== '');

  return {
    ...(conditions.length > 0 ? { ConditionExpression: conditions.join(' AND ') } : {}),
    ...(update.length > 0 ? { UpdateExpression: update.join(' ') } : {}),
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  };
}

/** Returns the condition that the record was not changed, and not deleted and created again, since it was read. */
export function ifUnchanged({ version, uid }: Versioned & { uid?: string | undefined }): Condition {
  return { equals: uid === undefined ? { version } : { version, uid } };
}

/** Returns the attributes that every change of a record sets. */
export function nextVersion({ version }: Versioned): Versioned {
  return { version: version + 1 };
}
