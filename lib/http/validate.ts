import * as z from 'zod';
import { type InputFault, invalidInput, ServiceError } from '../domain/errors.ts';
import type { Operation } from '../operations/operation.ts';
import { pathParameterNames, pathParameterSchemas } from '../operations/path-parameters.ts';

export interface RawInput {
  path: Readonly<Record<string, string | undefined>>;
  query: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON body. Undefined if the request has no body. */
  body: unknown;
}

export interface ValidInput {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

const noQuery = z.object({});
const anyBody = z.unknown();
// Stores the compiled schemas of paths. Zod compiles a schema at its first use, which takes longer than parsing.
const pathSchemas = new WeakMap<Operation, z.ZodType<Record<string, string>>>();

function pathSchemaOf(operation: Operation): z.ZodType<Record<string, string>> {
  let schema = pathSchemas.get(operation);
  if (schema === undefined) {
    const names = pathParameterNames(operation.path);
    schema = z.object(Object.fromEntries(names.map((name) => [name, pathParameterSchemas[name] ?? z.never()])));
    pathSchemas.set(operation, schema);
  }
  return schema;
}

/**
 * Validates the path, query, and body. Reports all faults at once, each with the path of its field. Throws
 * `field_invalid`.
 */
export function validate(operation: Operation, raw: RawInput): ValidInput {
  const path = pathSchemaOf(operation).safeParse(raw.path, sentences);
  const query = (operation.query ?? noQuery).safeParse(raw.query, sentences);
  const body = (operation.body ?? anyBody).safeParse(raw.body, sentences);
  const faults = [...faultsOf(path), ...faultsOf(query), ...faultsOf(body)];
  if (!path.success || !query.success || !body.success) throw invalidInput(faults);
  return { path: path.data, query: query.data, body: body.data };
}

/** Parses a JSON body for an operation that verifies the signature of the body itself. Throws `field_invalid`. */
export function parseJsonBody<Schema extends z.ZodType>(schema: Schema, bytes: Uint8Array): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(bytes), sentences);
  if (!parsed.success) throw invalidInput(faultsOf(parsed));
  return parsed.data;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ServiceError('body_malformed', 'The body is not valid JSON; check its syntax');
  }
}

function faultsOf(result: z.ZodSafeParseResult<unknown>): InputFault[] {
  if (result.success) return [];
  return result.error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message }));
}

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
 * Returns the message for an invalid value whose schema has no message of its own. The message never contains the
 * value, because a caller may have put a key into the wrong field.
 */
const faultMessage: z.core.$ZodErrorMap = (issue) => {
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

/**
 * Returns the message about unknown fields. It contains only names that look like field names, because a caller may
 * have sent a key as a field name.
 */
function unknownFieldsMessage(names: readonly string[]): string {
  const isNameLike = names.every((name) => /^[\w.-]{1,32}$/.test(name));
  return isNameLike ? `has unknown fields: ${names.join(', ')}` : 'has unknown fields';
}

const sentences = { error: faultMessage };
