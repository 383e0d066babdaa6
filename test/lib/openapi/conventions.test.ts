import { expect, test } from 'vitest';
import { openApiDocument } from '../../../lib/openapi/document.ts';
import type { JsonSchema } from '../../../lib/openapi/document-types.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { conventions } from '../../../lib/pages/reference/conventions.tsx';

/**
 * The API has one convention for each thing. These lists contain the exceptions, whose names are fixed, and must not
 * grow. docs/contributing/adding-an-operation.md describes the convention.
 */
const exceptions = {
  times: ['expires', 'newest_change', 'published', 'state_changed', 'time', 'updated'],
  deletesThatDisable: ['disableDataConnection', 'removeTrustedWorkflow', 'revokeApiKey', 'revokeServiceAccountKey'],
  putsThatMerge: ['changeDataMode', 'updateDataConnection', 'updateProfile'],
  bodiesThatAreNoObjects: ['reportFoundKeys', 'updateAccountFlags', 'updateMembershipRole'],
  labels: ['NewServiceAccountKey', 'ServiceAccountKey', 'ServiceAccountKeyRequest', 'FoundKeyVerdict'],
  spans: ['KeyExpiryRequest', 'ServiceAccountKeyRequest'],
  booleansThatAreStates: ['disabled', 'read_only'],
  otherBooleans: [
    'adopt_objects',
    'created_by_is_member',
    'delete_files',
    'end_sessions_on_revocation',
    'federated_only',
    'has_more',
    'hides_usage',
    'is_complete',
    'newer_key_in_use',
    'stored_versions_remain',
    'withdraw_versions',
  ],
  accountsByOtherNames: ['created_by', 'to'],
};

const document = openApiDocument(registry);
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((methods) =>
  Object.entries(methods).map(([method, operation]) => ({ method, ...operation })),
);
const resolved = (schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? schema);
const fields = Object.entries(schemas).flatMap(([schema, { properties = {} }]) =>
  Object.entries(properties).map(([name, property]) => ({ schema, name, property })),
);
const namesOf = (isOne: (field: (typeof fields)[number]) => boolean) =>
  [...new Set(fields.filter(isOne).map(({ name }) => name))].sort();
/** Returns each form of a property that may be null. */
const formsOf = ({ property }: { property: JsonSchema }) => property.anyOf ?? [property];
const isTime = (field: { property: JsonSchema }) =>
  formsOf(field).some(({ $ref }) => $ref === '#/components/schemas/Timestamp');

test('names of times end in `_at`', () => {
  expect(namesOf((field) => isTime(field) && !field.name.endsWith('_at'))).toEqual(exceptions.times);
});

test('DELETE removes a resource with 204, and never disables one', () => {
  const others = operations.filter(({ method, responses }) => method === 'delete' && responses['204'] === undefined);
  expect(others.map(({ operationId }) => operationId).sort()).toEqual(exceptions.deletesThatDisable);
});

test('PUT replaces the resource with its optional fields; PATCH merges', () => {
  const merging = operations.filter(({ method, requestBody }) => {
    const body = resolved(requestBody?.content['application/json']?.schema ?? {});
    return method === 'put' && Object.keys(body.properties ?? {}).length > (body.required ?? []).length;
  });
  expect(merging.map(({ operationId }) => operationId).sort()).toEqual(exceptions.putsThatMerge);
});

test('bodies are objects that refuse unknown fields', () => {
  const bodies = operations.flatMap(({ operationId, requestBody }) => {
    const body = requestBody?.content['application/json']?.schema;
    return body === undefined ? [] : [{ operationId, body: resolved(body) }];
  });
  const others = bodies.filter(({ body }) => body.type !== 'object' || body.additionalProperties !== false);
  expect(others.map(({ operationId }) => operationId).sort()).toEqual(exceptions.bodiesThatAreNoObjects);
});

test('labels are called `name`, expiries `expires_at`, and states `state`', () => {
  const holding = (name: string) => fields.filter((field) => field.name === name).map(({ schema }) => schema);
  expect(holding('label').sort()).toEqual(exceptions.labels.toSorted());
  expect(holding('expiry').sort()).toEqual(exceptions.spans);
  expect(namesOf((field) => formsOf(field).some(({ type }) => [type].flat().includes('boolean')))).toEqual(
    [...exceptions.booleansThatAreStates, ...exceptions.otherBooleans].sort(),
  );
});

test('answers show the name of an account with its ID', () => {
  // `event_name` is a claim of GitHub's tokens.
  const names = fields.filter(({ name }) => name.endsWith('_name') && name !== 'event_name');
  for (const { schema, name } of names) {
    const of = name.replace(/_name$/, '');
    const beside = fields.filter((field) => field.schema === schema).map((field) => field.name);
    const expected = exceptions.accountsByOtherNames.includes(of) ? of : `${of}_id`;
    expect(beside, `${schema} has ${name}`).toContain(expected);
  }
});

test('the reference page lists each difference', () => {
  const told = conventions.map((row) => row.exceptions).join(' ');
  for (const name of [...exceptions.times, 'label', 'expiry', 'read_only', 'disabled', 'created_by', 'adopt_objects'])
    expect(told, name).toContain(`\`${name}\``);
});
