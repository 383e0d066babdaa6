import type { Operation } from '../operations/operation.ts';
import { pathParameterNames, pathParameterSchemas } from '../operations/path-parameters.ts';
import type { JsonSchema, Parameter, Reference } from './document-types.ts';
import type { SchemaWriter } from './schema-writer.ts';

export const idempotencyKeyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A value that you choose for one creation. A retry of the same request with the same value within 24 hours returns the first response. If that response contained a secret, the retry returns 409 with the ID of the created resource.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export const ifMatchParameter: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` that you read. If the resource has changed since, the response is 412 with the code `stale`. Without this header, the change applies to the current version.',
  schema: { type: 'string' },
  example: '"v3"',
};

export const ifNoneMatchParameter: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of a stored response. While it is current, the response is 304 without a body.',
  schema: { type: 'string' },
  example: '"v3"',
};

const pathNotes: Readonly<Record<string, string>> = {
  account_id: 'The account.',
  repository_id: 'The repository in the account.',
  membership_id: 'The membership or invitation.',
  access_key_id: 'The API key.',
  data_connection_id: 'The data connection.',
  service_account_id: 'The service account.',
  key_id: 'The key of the service account.',
  workflow_id: 'The trusted workflow of the service account.',
  issuer_id: 'The registered issuer of the account.',
};

const queryNotes: Readonly<Record<string, Partial<JsonSchema>>> = {
  limit: { description: 'The maximum number of items on a page.', minimum: 1 },
  service_account_id: { description: 'Returns only events of this service account.' },
  actor_account_id: { description: 'Returns only events that this account caused.' },
  from: { description: 'The first day of the events, in UTC.' },
  to: { description: 'The last day of the events, in UTC.' },
  kind: { description: 'Returns only events of this kind, such as `service_account_key.issued`.' },
  q: {
    description:
      'Search words, at most eight. Each must occur in the title, ID, tags, keywords, account, description, license, DOI or citation. The beginning of a word matches too. Words of five letters or more may have one typing error.',
  },
  end_sessions: { description: 'Also refuses all credentials that it issued. The only value is `true`.' },
  tag: { description: 'Returns only repositories with exactly this tag or keyword. Case and accents are ignored.' },
  license: { description: 'Returns only repositories with this license: the SPDX expression, or one license in it.' },
  sort: {
    description: '`relevance` (the default with `q`), `published` or `updated` (newest first), or `title`.',
  },
  prefix: {
    description:
      'The beginning of an account ID or display name. Case and accents are ignored. Matches by ID come first. At most ten accounts are returned.',
  },
  scope: {
    description: 'The scope of the planned invitation: an account, or a repository as `<account ID>/<repository ID>`.',
  },
  cursor: { description: 'The end of the previous page, from its `Link` header.' },
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
  const description = 'Part of the signature over the raw body, as the partner programme documents it.';
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

/**
 * Returns the query parameters of an operation. They have the type after parsing, such as a number, although a query
 * contains only text.
 */
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
