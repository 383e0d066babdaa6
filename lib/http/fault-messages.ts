import type * as z from 'zod';

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

const units: Readonly<Record<string, string>> = { array: 'entries', string: 'characters' };

/**
 * Returns the message for a value when its schema has no message of its own. The message never repeats the value,
 * because the value can be a key in the wrong field.
 */
export const faultMessage: z.core.$ZodErrorMap = (issue) => {
  const subject = issue.path?.length ? '' : 'the body ';
  const unit = 'origin' in issue ? units[`${issue.origin}`] : undefined;
  switch (issue.code) {
    case 'invalid_type':
      return `${subject}${issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? 'of another type'}`}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be ${listed(issue.values)}`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be ${listed(issue.options)}` : undefined;
    case 'too_small':
      if (issue.minimum === 1 && unit !== undefined) return 'must not be empty';
      return unit && `must have at least ${issue.minimum} ${unit}`;
    case 'too_big':
      return unit && `must have at most ${issue.maximum} ${unit}`;
    case 'unrecognized_keys':
      return unknownFieldsMessage(issue.keys);
    default:
      return undefined;
  }
};

function listed(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
}

/** Repeats the names of unknown fields, but not other text, such as a key that was sent as a field name. */
function unknownFieldsMessage(names: readonly string[]): string {
  const isNameLike = names.every((name) => /^[\w.-]{1,32}$/.test(name));
  return isNameLike ? `has unknown fields: ${names.join(', ')}` : 'has unknown fields';
}
