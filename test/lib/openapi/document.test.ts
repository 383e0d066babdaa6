import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../lib/openapi/document.ts';
import { type Operation, operationId, routePath } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';

const document = openApiDocument(registry);
const text = JSON.stringify(document);
const operations = registry.filter(({ method }) => method !== 'ANY');
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('contains exactly the operations of the registry, at their paths', () => {
    const base = document.servers[0]?.url ?? '';
    const inDocument = described.map(({ method, path, operation }) => {
      const server = operation.servers === undefined ? base : '';
      return `${operation.operationId}: ${method.toUpperCase()} ${server}${path}`;
    });
    const inRegistry = operations.map(
      (operation) => `${operationId(operation)}: ${operation.method} ${routePath(operation)}`,
    );
    expect(inDocument.sort()).toEqual(inRegistry.sort());
  });

  it('has no dangling reference and no unused component', () => {
    const targets = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map((match) => match[1]));
    const { schemas, parameters, responses } = document.components;
    const held = Object.entries({ schemas, parameters, responses }).flatMap(([kind, things]) =>
      Object.keys(things).map((name) => `${kind}/${name}`),
    );
    expect([...targets].sort()).toEqual(held.sort());
  });

  it('gives every operation a tag that it describes', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of described) expect(tags).toEqual(expect.arrayContaining(operation.tags));
  });

  it('describes every tag and every named schema', () => {
    const descriptions = [...document.tags, ...Object.values(document.components.schemas)].map(
      ({ description }) => description,
    );
    expect(descriptions).not.toContain(undefined);
  });

  it.each(['uid', 'key_hash', 'sealed_authentication', 'secret_version', 'subject_key', 'service_account_uid'])(
    'does not show the internal field %s',
    (field) => {
      expect(text).not.toContain(`"${field}"`);
    },
  );

  it('shows a secret only in the answer that creates it, and never in a list', () => {
    const lists = operations.filter(({ kind }) => kind === 'list');
    expect(lists.length).toBeGreaterThan(0);
    for (const operation of lists) {
      const answer = document.paths[operation.path]?.get?.responses['200'];
      const name = /schemas\/(\w+)/.exec(JSON.stringify(answer))?.[1] ?? '';
      const fields = Object.keys(document.components.schemas[name]?.properties ?? {});
      expect(fields.length, operation.name).toBeGreaterThan(0);
      for (const secret of ['secret_access_key', 'key', 'authentication'])
        expect(fields, operation.name).not.toContain(secret);
    }
  });

  it('states the bounds on texts that are counted in code points', () => {
    const { ApiKeyRequest, AccountProfile, ServiceAccountKeyRequest } = document.components.schemas;
    expect(ApiKeyRequest?.properties?.['name']).toMatchObject({ minLength: 1, maxLength: 128 });
    expect(AccountProfile?.properties?.['bio']).toMatchObject({ maxLength: 1024 });
    expect(ServiceAccountKeyRequest?.properties?.['label']).toMatchObject({ minLength: 1, maxLength: 64 });
  });
});

describe('the description of an operation', () => {
  const cases: [string, { security: object[]; statuses: string[] }][] = [
    [
      'createAccount',
      {
        security: [{ bearerToken: [] }],
        statuses: ['201', '400', '401', '403', '409', '413', '415', '422', '429', '431', '500', '503'],
      },
    ],
    [
      'createAccountApiKey',
      {
        security: [{ bearerToken: [] }],
        statuses: ['201', '400', '401', '403', '404', '409', '413', '415', '422', '429', '431', '500', '503'],
      },
    ],
    [
      'getSession',
      { security: [{ bearerToken: [] }, { apiKey: [] }], statuses: ['200', '400', '401', '429', '431', '500', '503'] },
    ],
    ['getProfile', { security: [], statuses: ['200', '304', '400', '404', '429', '431', '500', '503'] }],
    [
      'updateProfile',
      {
        security: [{ bearerToken: [] }, { apiKey: [] }],
        statuses: ['200', '400', '401', '403', '404', '409', '412', '413', '415', '429', '431', '500', '503'],
      },
    ],
    [
      'listAccountRepositories',
      {
        security: [{}, { bearerToken: [] }, { apiKey: [] }],
        statuses: ['200', '400', '401', '404', '429', '431', '500', '503'],
      },
    ],
    [
      'putGrant',
      {
        security: [{ bearerToken: [] }],
        statuses: ['200', '201', '400', '401', '403', '404', '409', '413', '415', '429', '431', '500', '503'],
      },
    ],
    ['revokeFoundKey', { security: [], statuses: ['204', '400', '413', '415', '429', '431', '500', '503'] }],
    ['getHealth', { security: [], statuses: ['200', '400', '429', '431', '500'] }],
  ];
  it.each(cases)('follows from the traits of %s', (id, { security, statuses }) => {
    const operation = described.find((candidate) => candidate.operation.operationId === id)?.operation;
    expect(operation?.security).toEqual(security);
    expect(Object.keys(operation?.responses ?? {})).toEqual(statuses);
  });

  it('states who may call each operation', () => {
    const words = Object.fromEntries(described.map(({ operation }) => [operation.operationId, operation.description]));
    expect(words['disableAccount']).toBe(
      'Allowed: on a personal account, administrators; on an organization, its owners and its maintainers; on a service account, administrators. Requires a bearer token. API keys are refused.',
    );
    expect(words['updateRepository']).not.toContain('bearer token');
    expect(words['updateAccountFlags']).toBe('Allowed: administrators. Requires a bearer token. API keys are refused.');
  });

  it('accepts and shows versions when the registry says so', () => {
    const having = (text: string) => {
      const found = described.filter(({ operation }) => JSON.stringify(operation).includes(text));
      return found.map(({ operation }) => operation.operationId).sort();
    };
    const where = (isMeant: (operation: Operation) => unknown) => operations.filter(isMeant).map(operationId).sort();
    expect(having('"ETag":')).toEqual(where(({ etag }) => etag));
    expect(having('"304":')).toEqual(where(({ etag }) => etag === 'target_only'));
    expect(having('parameters/IfNoneMatch')).toEqual(where(({ etag }) => etag === 'target_only'));
    expect(having('parameters/IfMatch')).toEqual(where(({ kind }) => kind === 'change'));
    expect(having('"412":')).toEqual(where(({ kind }) => kind === 'change'));
    expect(where(({ etag }) => etag === 'target_only')).toEqual(['getAccountFlags', 'getProfile', 'getRepository']);
  });

  it('describes the page limit as a number, and the cursor', () => {
    const parameters = document.paths['/repositories/{account_id}']?.get?.parameters?.slice(1);
    expect(parameters).toMatchObject([
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
      },
      { name: 'cursor', in: 'query', required: false },
    ]);
  });
});
