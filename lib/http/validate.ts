import * as z from 'zod';
import { type InputFault, invalidInput, ServiceError } from '../domain/errors.ts';
import type { Operation } from '../operations/operation.ts';
import { pathParameterNames, pathParameterSchemas } from '../operations/path-parameters.ts';
import { faultMessage } from './fault-messages.ts';

const sentences = { error: faultMessage };

export interface RawInput {
  path: Readonly<Record<string, string | undefined>>;
  query: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or undefined when the request has no body. */
  body: unknown;
}

export interface ValidInput {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

const noQuery = z.object({});
const anyBody = z.unknown();
// Zod compiles a schema at its first use, which takes longer than the parsing. The map stores the compiled schemas.
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
 * Validates the path, query, and body, and reports all faults at once with the path of each field. Throws
 * `invalid_request`.
 */
export function validate(operation: Operation, raw: RawInput): ValidInput {
  const path = pathSchemaOf(operation).safeParse(raw.path, sentences);
  const query = (operation.query ?? noQuery).safeParse(raw.query, sentences);
  const body = (operation.body ?? anyBody).safeParse(raw.body, sentences);
  const faults = [...faultsOf(path), ...faultsOf(query), ...faultsOf(body)];
  if (!path.success || !query.success || !body.success) throw invalidInput(faults);
  return { path: path.data, query: query.data, body: body.data };
}

/** Parses a body that `run` reads itself after it verified the signature. Throws `invalid_request`. */
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
  return result.error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issue.message,
  }));
}
