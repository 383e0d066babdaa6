import type { Operation } from '../operations/operation.ts';
import { pathParameterNames, pathParameterSchemas } from '../operations/path-parameters.ts';
import type { JsonSchema, Parameter, Reference } from './document-types.ts';
import type { SchemaWriter } from './schema-writer.ts';

export const idempotencyKeyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A value of your own for one create. Within 24 hours, the same request with the same key gets the first answer again; where that held a secret, 409 names what was made.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export const ifMatchParameter: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of what you have read: the change is made only while nobody has changed that since, and is 412 with the code `stale` otherwise. Without it, the change is made to what is there.',
  schema: { type: 'string' },
  example: '"v3"',
};

export const ifNoneMatchParameter: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an answer that you have stored: 304 without a body as long as it is still right.',
  schema: { type: 'string' },
  example: '"v3"',
};

const pathNotes: Readonly<Record<string, string>> = {
  account_id: 'The account.',
  repository_id: 'The repository, among those of its account.',
  membership_id: 'The membership or invitation.',
  access_key_id: 'The API key.',
  data_connection_id: 'The data connection.',
  service_account_id: 'The service account.',
  key_id: 'The key, among those of the service account.',
  workflow_id: 'The trusted workflow, among those of the service account.',
};

const queryNotes: Readonly<Record<string, Partial<JsonSchema>>> = {
  limit: { description: 'How many at most.', minimum: 1 },
  service_account_id: { description: 'Only what happened to this service account.' },
  kind: { description: 'Only events of this kind, such as `service_account_key.issued`.' },
  q: {
    description:
      'Words that all have to be found: in title, ID, tags, keywords, account, description, license, DOI or citation; by their beginning too, and from five letters on with one letter wrong, missing or extra, or two swapped. At most eight count.',
  },
  tag: { description: 'Only repositories with this tag or keyword, whole; case and accents do not count.' },
  license: { description: 'Only repositories of this license: the SPDX expression, or one license that it names.' },
  sort: {
    description:
      '`relevance` (with `q` the order unless another is given), `published` or `updated` (the newest first), or `title`.',
  },
  prefix: {
    description:
      'How the account ID or the display name begins; case and accents do not count. IDs come first, then names, ten accounts at most.',
  },
  scope: {
    description: 'Where you want to invite somebody: an account, or a repository as `<account ID>/<repository ID>`.',
  },
  cursor: { description: 'Where a page before this one ended; taken from its `Link` header.' },
};

export function parametersOf(operation: Operation, write: SchemaWriter): (Parameter | Reference)[] {
  return [
    ...pathParameters(operation, write),
    ...queryParameters(operation, write),
    ...(operation.signedBody?.headers ?? []).map(signatureHeader),
    ...(operation.kind === 'create' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(operation.kind === 'change' ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ...(operation.etag === 'target_only' ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ];
}

function signatureHeader(name: string): Parameter {
  const description = 'Of the signature over the raw body, as the partner programme documents it.';
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

function pathParameters({ path, example }: Operation, write: SchemaWriter): Parameter[] {
  return pathParameterNames(path).map((name) => {
    const schema = pathParameterSchemas[name];
    const description = pathNotes[name];
    const value = example?.path?.[name];
    return {
      name,
      in: 'path',
      required: true,
      ...(description === undefined ? {} : { description }),
      schema: schema === undefined ? { type: 'string' } : write(schema, 'input'),
      ...(value === undefined ? {} : { example: value }),
    };
  });
}

/** Describes query parameters with the output of their schema, such as a number, although a query is text. */
function queryParameters({ query, example }: Operation, write: SchemaWriter): Parameter[] {
  if (query === undefined) return [];
  const { properties = {} } = write(query, 'output');
  const { required = [] } = write(query, 'input');
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = { ...property, ...queryNotes[name] };
    const value = example?.query?.[name];
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(value === undefined ? {} : { example: value }),
    };
  });
}
