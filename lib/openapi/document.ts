import { basePath, type Operation, operationId } from '../operations/operation.ts';
import { describeAccess, securityOf } from './access.ts';
import type { HttpMethod, JsonSchema, OpenApiDocument, OperationObject } from './document-types.ts';
import { namedEntities } from './named-entities.ts';
import { namedRequests } from './named-requests.ts';
import { idempotencyKeyParameter, ifMatchParameter, ifNoneMatchParameter, parametersOf } from './parameters.ts';
import { refusals, refusalsOf, successesOf } from './responses.ts';
import { createSchemaWriter, type SchemaWriter } from './schema-writer.ts';

/**
 * Returns the OpenAPI 3.1 document for the operations in the registry. The route for unknown requests (`ANY`) is left
 * out, because no client calls it on purpose.
 */
export function openApiDocument(registry: readonly Operation[]): OpenApiDocument {
  const operations = registry.filter(({ method }) => method !== 'ANY');
  const schemas: Record<string, JsonSchema> = {};
  const write = createSchemaWriter([...namedEntities, ...namedRequests], schemas);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const method = operation.method.toLowerCase() as HttpMethod;
    paths[operation.path] = { ...paths[operation.path], [method]: describe(operation, write) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Sluice',
      version: '1',
      summary: 'Accounts, repositories and machine access for open data',
      description:
        'The management API. Objects themselves are read and written at the data proxy, with any S3 client and the credentials that its exchange gives to service accounts.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath, description: 'The host that served this document' }],
    tags: tagsOf(operations),
    paths,
    components: {
      responses: refusals(write),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: {
        IdempotencyKey: idempotencyKeyParameter,
        IfMatch: ifMatchParameter,
        IfNoneMatch: ifNoneMatchParameter,
      },
      securitySchemes: {
        bearerToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A user: an OpenID Connect token of the issuer that this deployment trusts.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'An API key of an account: `<access_key_id> <secret_access_key>`, with one space between them.',
        },
      },
    },
  };
}

function describe(operation: Operation, write: SchemaWriter): OperationObject {
  const { example, group, outsideBase, signedBody, summary } = operation;
  const body = operation.body ?? signedBody?.schema;
  const parameters = parametersOf(operation, write);
  return {
    operationId: operationId(operation),
    tags: [group],
    summary,
    description: describeAccess(operation),
    security: securityOf(operation),
    ...(outsideBase ? { servers: [{ url: '/' }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: {
              'application/json': {
                schema: write(body, 'input'),
                ...(example?.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }),
    responses: { ...successesOf(operation, write), ...refusalsOf(operation) },
  };
}

const tagDescriptions: Readonly<Record<Exclude<Operation['group'], 'pages'>, string>> = {
  session: 'The caller and their temporary credentials.',
  accounts: 'Users, organizations and platform logins: profile, flags, audit trail.',
  memberships: 'Invitations to accounts and repositories, and the roles of members.',
  repositories: 'Collections of objects that an account owns.',
  versions: 'Versions of repositories: their objects at one instant, under a name that can be cited.',
  transfers: 'Transfers of repositories to other accounts.',
  'data-connections': 'The storage of repositories.',
  'api-keys':
    'Keys that sign S3 requests at the data proxy. They also authenticate requests to this API in `Authorization`.',
  'service-accounts': 'Accounts for software, with their keys, trusted CI workflows and grants.',
  usage:
    'How often, how much, from where, and with which tools data was read. The numbers of a day change until two days after its end.',
  issuers: 'Issuers of identity tokens that an account registers, such as its own GitLab.',
  administration: 'Lists for the administrators of the site: accounts, disabled things, storage, and their actions.',
  public: 'Operations without authentication.',
};

/** Returns the tags in the order in which readers should read them. Groups without operations are left out. */
function tagsOf(operations: readonly Operation[]): { name: string; description: string }[] {
  const groups = new Set<string>(operations.map(({ group }) => group));
  return Object.entries(tagDescriptions)
    .filter(([name]) => groups.has(name))
    .map(([name, description]) => ({ name, description }));
}
