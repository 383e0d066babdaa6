import type { ComponentChildren } from 'preact';
import type { JsonSchema, OpenApiDocument } from '../../openapi/document-types.ts';
import { Paragraphs, type Row, Rows } from './text.tsx';

export function schemaSection(name: string, schema: JsonSchema): ComponentChildren {
  return (
    <section class="schema" id={schemaId(name)}>
      <h3>
        {name}{' '}
        <a class="self" href={`#${schemaId(name)}`} aria-label={`Link to ${name}`}>
          #
        </a>
      </h3>
      {schema.description !== undefined && <Paragraphs text={schema.description} />}
      {schema.properties === undefined ? <p class="type">{typeOf(schema)}</p> : fieldTable(schema)}
    </section>
  );
}

/**
 * Renders the fields of a request or response body. They come from the named schema that the body references, or from
 * the body's own schema.
 */
export function bodyFields(schema: JsonSchema, { components }: OpenApiDocument): ComponentChildren {
  const name = schema.$ref === undefined ? undefined : nameOf(schema.$ref);
  const resolved = name === undefined ? schema : (components.schemas[name] ?? schema);
  return (
    <>
      {(name !== undefined || resolved.properties === undefined) && <p class="type">{typeOf(schema)}</p>}
      {resolved.properties && fieldTable(resolved)}
    </>
  );
}

function fieldTable({ properties = {}, required = [] }: JsonSchema): ComponentChildren {
  const rows = Object.entries(properties).map(([name, schema]) =>
    fieldRow({ name, isRequired: required.includes(name), schema, description: schema.description }),
  );
  return <Rows rows={rows} />;
}

interface Field {
  name: string;
  isRequired: boolean;
  schema: JsonSchema;
  description?: string | undefined;
}

export function fieldRow({ name, isRequired, schema, description }: Field): Row {
  return {
    name: (
      <>
        <code>{name}</code>
        {!isRequired && ' '}
        {!isRequired && <span class="optional">optional</span>}
      </>
    ),
    content: (
      <>
        <span class="type">{typeOf(schema)}</span>
        {description !== undefined && <Paragraphs text={description} />}
        {innerTable(schema)}
      </>
    ),
  };
}

/** Describes the type of a schema in a few words, with links to named schemas. */
export function typeOf(schema: JsonSchema): ComponentChildren {
  const { $ref, anyOf, items, additionalProperties } = schema;
  if ($ref !== undefined) return <a href={`#${schemaId(nameOf($ref))}`}>{nameOf($ref)}</a>;
  if (schema.enum !== undefined) return <>one of {listOf(schema.enum.map(literal))}</>;
  if (schema.const !== undefined) return literal(schema.const);
  if (anyOf !== undefined)
    return <>{anyOf.map((choice, index) => (index === 0 ? typeOf(choice) : <> or {typeOf(choice)}</>))}</>;
  if (items !== undefined)
    return (
      <>
        array of {typeOf(items)}
        {boundsOf(schema)}
      </>
    );
  if (typeof additionalProperties === 'object') return <>map of {typeOf(additionalProperties)}</>;
  return (
    <>
      {[schema.type ?? 'any'].flat().join(' or ')}
      {schema.format !== undefined && ` (${schema.format})`}
      {boundsOf(schema)}
    </>
  );
}

/** Renders the fields of an object that has no named schema, with the fields of objects inside it. */
function innerTable({ properties, required, items, additionalProperties }: JsonSchema): ComponentChildren {
  if (properties !== undefined) return fieldTable({ properties, required: required ?? [] });
  if (items !== undefined) return innerTable(items);
  return typeof additionalProperties === 'object' ? innerTable(additionalProperties) : undefined;
}

function boundsOf({
  minLength,
  maxLength,
  minimum,
  maximum,
  maxItems,
  default: fallback,
}: JsonSchema): ComponentChildren {
  const bounds = [
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    range(undefined, maxItems, ' items'),
    fallback === undefined ? undefined : `default ${String(fallback)}`,
  ].filter((bound) => bound !== undefined);
  return (
    <>
      {bounds.map((bound) => (
        <span class="bound">{bound}</span>
      ))}
    </>
  );
}

function range(from: number | undefined, to: number | undefined, unit: string): string | undefined {
  if (from === undefined) return to === undefined ? undefined : `at most ${to}${unit}`;
  return to === undefined ? `at least ${from}${unit}` : `${from} to ${to}${unit}`;
}

function literal(value: unknown): ComponentChildren {
  return <code>{String(value)}</code>;
}

function listOf(values: readonly ComponentChildren[]): ComponentChildren {
  return <>{values.map((value, index) => (index === 0 ? value : <>, {value}</>))}</>;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function schemaId(name: string): string {
  return `schema-${name}`;
}
