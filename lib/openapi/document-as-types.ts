import type {
  AnswerObject,
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  Parameter,
  Reference,
} from './document-types.ts';

/**
 * Renders the document as TypeScript types that openapi-fetch can use: `paths` with their methods, and `components`.
 * Features of JSON Schema that the document does not use become `unknown`.
 */
export function documentAsTypes({ paths, components }: OpenApiDocument): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `    ${quoted(name)}: ${typeOf(schema)};`);
  const operations = Object.entries(paths).map(
    ([path, methods]) =>
      `  ${quoted(path)}: {\n${Object.entries(methods)
        .map(([method, operation]) => `    ${method}: ${typeOfOperation(operation, components)};`)
        .join('\n')}\n  };`,
  );
  return `// Made from the OpenAPI document by npm run types.
export interface paths {
${operations.join('\n')}
}

export interface components {
  schemas: {
${schemas.join('\n')}
  };
}
`;
}

type Components = OpenApiDocument['components'];

function typeOfOperation({ parameters = [], requestBody, responses }: OperationObject, components: Components): string {
  const known = parameters.map((parameter) => resolve(parameter, components.parameters));
  const locations = (['path', 'query', 'header'] as const).map((location) => {
    const fields = known.filter((parameter) => parameter.in === location);
    const isNeeded = fields.some(({ required }) => required);
    return `${location}${isNeeded ? '' : '?'}: ${fields.length === 0 ? 'never' : `{ ${fields.map(fieldOf).join(' ')} }`};`;
  });
  const body =
    requestBody === undefined
      ? ''
      : ` requestBody${requestBody.required ? '' : '?'}: ${contentOf(requestBody.content)};`;
  const answers = Object.entries(responses).map(
    ([status, answer]) => `${status}: ${contentOf(resolve(answer, components.responses).content)};`,
  );
  return `{ parameters: { ${locations.join(' ')} };${body} responses: { ${answers.join(' ')} } }`;
}

function resolve<Part extends Parameter | AnswerObject>(part: Part | Reference, named: Record<string, Part>): Part {
  if (!('$ref' in part)) return part;
  const found = named[nameOf(part.$ref)];
  if (found === undefined) throw new Error(`the document has nothing at ${part.$ref}`);
  return found;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function fieldOf({ name, required, schema }: Parameter): string {
  return `${quoted(name)}${required ? '' : '?'}: ${typeOf(schema)};`;
}

function contentOf(content: AnswerObject['content'] = {}): string {
  const types = Object.entries(content).map(([type, { schema }]) => `${quoted(type)}: ${typeOf(schema)};`);
  return types.length === 0 ? '{ content?: never }' : `{ content: { ${types.join(' ')} } }`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return `components['schemas'][${quoted(nameOf(schema.$ref))}]`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'unknown' : types.map((type) => typeOfKind(type, schema)).join(' | ');
}

function typeOfKind(type: string, schema: JsonSchema): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
  if (type !== 'object') return type;
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties).map(
    ([name, field]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field)};`,
  );
  if (fields.length > 0) return `{ ${fields.join(' ')} }`;
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
