import { limits } from '../domain/limits.ts';
import { isForReaders, type Operation, successStatus } from '../operations/operation.ts';
import { pathParameterNames } from '../operations/path-parameters.ts';
import type { AnswerObject, Header, Reference } from './document-types.ts';
import { problemSchema } from './named-entities.ts';
import type { SchemaWriter } from './schema-writer.ts';

interface Refusal {
  status: number;
  name: string;
  description: string;
  headers?: Record<string, Header>;
  applies(operation: Operation): boolean;
}

const retryAfterHeader: Header = {
  description: 'Seconds until a retry can succeed; absent when API Gateway responds.',
  schema: { type: 'integer', minimum: 1 },
};

/** All error responses of the API, each with the operations that can return it. */
const refusalKinds: readonly Refusal[] = [
  {
    status: 400,
    name: 'InvalidRequest',
    description:
      'The request is malformed, a value is invalid, or the URL contains a key. `errors` names each invalid field.',
    applies: () => true,
  },
  {
    status: 401,
    name: 'AuthenticationRequired',
    description: 'No valid identity: the `Authorization` header is missing or not valid.',
    applies: ({ ignoresAuthorization }) => !ignoresAuthorization,
  },
  {
    status: 403,
    name: 'NotAllowed',
    description: 'The caller may not do this. The response is the same whether the resource exists or not.',
    applies: ({ permission, signedBody }) =>
      (permission.kind !== 'anyone' && permission.kind !== 'authenticated') || signedBody !== undefined,
  },
  {
    status: 404,
    name: 'NotFound',
    description: 'The resource does not exist. Only callers with permission get this response.',
    applies: ({ path, target, signedBody }) =>
      pathParameterNames(path).length > 0 || target === 'scope' || signedBody !== undefined,
  },
  {
    status: 409,
    name: 'Conflict',
    description: 'The name is taken, the state does not allow the operation, or a limit is reached.',
    applies: ({ method, permission }) => method !== 'GET' && permission.kind !== 'anyone',
  },
  {
    status: 412,
    name: 'Stale',
    description: 'The resource changed after the version in `If-Match`. Nothing was changed.',
    applies: ({ kind }) => kind === 'change',
  },
  {
    status: 413,
    name: 'BodyTooLarge',
    description: 'The body is larger than 64 KiB, or 1 MiB for a signed body.',
    applies: ({ body, signedBody }) => body !== undefined || signedBody !== undefined,
  },
  {
    status: 415,
    name: 'NotJson',
    description: 'The body is not sent as `application/json`.',
    applies: ({ body }) => body !== undefined,
  },
  {
    status: 422,
    name: 'IdempotencyKeyReused',
    description: 'The `Idempotency-Key` was used for another request.',
    applies: ({ kind }) => kind === 'create',
  },
  {
    status: 429,
    name: 'TooManyRequests',
    description:
      'There are too many requests. Wait, then try again. API Gateway may return this itself, as JSON with only a `message`.',
    headers: { 'Retry-After': retryAfterHeader },
    applies: () => true,
  },
  {
    status: 431,
    name: 'HeadersTooLarge',
    description: 'The headers are larger than 10 KB. API Gateway returns this itself, as JSON with only a `message`.',
    applies: () => true,
  },
  {
    status: 500,
    name: 'InternalError',
    description: 'The service failed. The response contains only the request id.',
    applies: () => true,
  },
  {
    status: 503,
    name: 'Unavailable',
    description: 'A service that the operation needs is unreachable. Try again.',
    headers: { 'Retry-After': retryAfterHeader },
    applies: readsSomething,
  },
];

/**
 * Returns false for an operation whose response is constant. Such an operation needs no other service, so it cannot
 * fail because of one.
 */
function readsSomething({ ignoresAuthorization, target, tableAccess }: Operation): boolean {
  return !ignoresAuthorization || target !== 'nothing' || tableAccess.actions.length > 0;
}

export function refusals(write: SchemaWriter): Record<string, AnswerObject> {
  const content = { 'application/problem+json': { schema: write(problemSchema, 'output') } };
  return Object.fromEntries(
    refusalKinds.map(({ name, description, headers }) => [
      name,
      { description, ...(headers === undefined ? {} : { headers }), content },
    ]),
  );
}

export function refusalsOf(operation: Operation): Record<string, Reference> {
  const those = refusalKinds.filter(({ applies }) => applies(operation));
  return Object.fromEntries(those.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]));
}

const locationHeader: Header = {
  description: 'The URL of what was created.',
  schema: { type: 'string', format: 'uri-reference' },
};
const linkHeader: Header = {
  description: 'The next page with `rel="next"`; absent on the last one.',
  schema: { type: 'string' },
};

const totalHeader: Header = {
  description: `The number of matches of a search, at most ${limits.countedMatchesMax}; absent without a search.`,
  schema: { type: 'integer', minimum: 0, maximum: limits.countedMatchesMax },
};

const etagHeader: Header = {
  description: 'The version of the resource, for `If-Match`.',
  schema: { type: 'string' },
};

const descriptions: Readonly<Record<number, string>> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'Success without a body',
};

const moved: AnswerObject = {
  description: 'The repository was transferred, and the caller may read it under its new path.',
  headers: { Location: { ...locationHeader, description: 'The URL under the new path.' } },
};

const notModified: AnswerObject = {
  description: 'The stored response is current; no body.',
  headers: { ETag: etagHeader },
};

/**
 * Returns the successful responses of an operation. Most operations have one. A PUT that may create the resource has
 * two.
 */
export function successesOf(operation: Operation, write: SchemaWriter): Record<string, AnswerObject> {
  const statuses = operation.kind === 'put' ? [200, 201] : [successStatus(operation)];
  return {
    ...Object.fromEntries(statuses.map((status) => [status, successOf(operation, status, write)])),
    ...(operation.etag === 'target_only' ? { 304: notModified } : {}),
    ...(isForReaders(operation.permission) ? { 308: moved } : {}),
  };
}

function successOf(operation: Operation, status: number, write: SchemaWriter): AnswerObject {
  const { kind, response, example, countsMatches, location, etag, mediaType = 'application/json' } = operation;
  const isPage = kind === 'page';
  const headers = {
    ...(status === 201 && location !== undefined ? { Location: locationHeader } : {}),
    ...(kind === 'list' ? { Link: linkHeader } : {}),
    ...(countsMatches ? { 'X-Total-Count': totalHeader } : {}),
    ...(etag === undefined ? {} : { ETag: etagHeader }),
  };
  return {
    description: descriptions[status] ?? 'Success',
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(response === undefined
      ? {}
      : {
          content: {
            [isPage ? 'text/html' : mediaType]: {
              schema: isPage ? { type: 'string' } : write(response, 'output'),
              ...(example?.response === undefined ? {} : { example: example.response }),
            },
          },
        }),
  };
}
