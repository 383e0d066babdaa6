import * as z from 'zod';
import type { JsonSchema } from './document-types.ts';

/**
 * The description of a field in the OpenAPI document. It states details that the field's name does not show, and limits
 * that the schema checks in code.
 */
export type FieldDescription =
  | string
  | (Pick<JsonSchema, 'description' | 'minLength' | 'maxLength' | 'minimum'> & object);

export interface NamedSchema {
  name: string;
  schema: z.ZodType;
  description: string;
  fields: Readonly<Record<string, FieldDescription>>;
  /**
   * Constraints that the OpenAPI document states although the schema does not contain them. The schema checks these
   * constraints in code, or accepts other texts so that more can be added later.
   */
  stated?: Pick<JsonSchema, 'oneOf' | 'enum'> | undefined;
}

export type SchemaWriter = (schema: z.ZodType, io: 'input' | 'output') => JsonSchema;

/**
 * Declares a named schema of the OpenAPI document. The types do not allow a description for a field that does not
 * exist.
 */
export function named<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  description: string,
  fields?: FieldDescriptions<Schema>,
  stated?: NamedSchema['stated'],
): NamedSchema {
  return { name, schema, description, fields: { ...fields }, stated };
}

type FieldDescriptions<Schema> = Schema extends { shape: infer Shape }
  ? { readonly [Field in keyof Shape]?: FieldDescription }
  : never;

/**
 * Creates a function that converts schemas to JSON Schema (2020-12). It replaces named schemas by references, and adds
 * each of them to `components` at its first use.
 */
export function createSchemaWriter(
  namedSchemas: readonly NamedSchema[],
  components: Record<string, JsonSchema>,
): SchemaWriter {
  const names = z.registry<{ id: string; description: string }>();
  for (const { name, schema, description } of namedSchemas) names.add(schema, { id: name, description });
  const notes = new Map(namedSchemas.map((named) => [named.name, named]));

  return (schema, io) => {
    // Convert the schema as the item of an array. zod replaces an item by a reference to its named schema, but never
    // replaces the root schema.
    const { items, $defs } = z.toJSONSchema(z.array(schema), { io, metadata: names, override: simplify }) as {
      items: JsonSchema;
      $defs?: Record<string, JsonSchema>;
    };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      components[name] ??= {
        ...withNotes(pointToComponents(definition), notes.get(name)?.fields ?? {}),
        ...notes.get(name)?.stated,
      };
    }
    return pointToComponents(items);
  };
}

function simplify({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}) {
  // Remove the pattern of a field with a format, because the format says the same more clearly.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Let objects of responses accept further fields, because fields may be added later. Closed objects stay closed,
  // because a request with unknown fields is refused.
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
}

function pointToComponents(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function withNotes(schema: JsonSchema, notes: Readonly<Record<string, FieldDescription>>): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const described = Object.entries(properties).map(([field, property]) => {
    const note = notes[field] ?? {};
    return [field, { ...property, ...(typeof note === 'string' ? { description: note } : note) }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
