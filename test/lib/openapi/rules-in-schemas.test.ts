import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { prefixTemplateSchema } from '../../../lib/domain/data/data-connections.ts';
import { parseServiceAccountId, serviceAccountIdSchema } from '../../../lib/domain/identifiers.ts';
import { openApiDocument } from '../../../lib/openapi/document.ts';
import { registry } from '../../../lib/operations/registry.ts';

/** A client that is generated from the document knows only the rules in schemas, not those in prose. */
const document = openApiDocument(registry);
const ajv = new Ajv2020({ strict: false });
formats.default.default(ajv);
ajv.addSchema({ ...document }, 'document');
const takes = (schema: string, value: unknown) =>
  ajv.compile({ $ref: `document#/components/schemas/${schema}` })(value) as boolean;

describe('the document says', () => {
  test.each([
    ['FoundKey', { key: 'sck_a' }, true],
    ['FoundKey', { access_key_id: 'a', secret_access_key: 'b' }, true],
    ['FoundKey', {}, false],
    ['FoundKey', { access_key_id: 'a' }, false],
    ['FoundKey', { key: 'sck_a', access_key_id: 'a', secret_access_key: 'b' }, false],
    ['TrustedWorkflowRequest', { repository: 'a/b', branch: 'main' }, true],
    ['TrustedWorkflowRequest', { repository: 'a/b', environment: 'prod' }, true],
    ['TrustedWorkflowRequest', { repository: 'a/b' }, false],
    ['TrustedWorkflowRequest', { repository: 'a/b', branch: 'main', tag: 'v1' }, false],
    ['ServiceAccountId', 'tide-institute--sync', true],
    ['ServiceAccountId', 'tide-institute-sync', false],
    ['ServiceAccountId', 'ab--sync', false],
  ])('whether %s accepts a value: %j', (schema, value, expected) => expect(takes(schema, value)).toBe(expected));

  test.each([
    ['NewApiKey', 'secret_access_key'],
    ['NewServiceAccountKey', 'key'],
  ])('that the answer %s always contains the %s', (schema, field) =>
    expect(document.components.schemas[schema]?.required).toContain(field),
  );

  test('that every operation can answer that the headers are too large', () => {
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods)) expect(Object.keys(responses)).toContain('431');
  });
});

test('the pattern of service account IDs matches the rule that splits them', () => {
  const parts = ['a', 'ab', 'abc', 'a-b', '-ab', 'ab-', 'a'.repeat(40), 'a'.repeat(41), 'a--b', 'Abc', ''];
  for (const owner of parts)
    for (const name of parts) {
      const id = `${owner}--${name}`;
      expect(serviceAccountIdSchema.safeParse(id).success, id).toBe(parseServiceAccountId(id) !== undefined);
    }
});

test('the pattern of prefix templates accepts each placeholder once, as a whole segment', () => {
  const [a, r] = ['{{repository.account_id}}', '{{repository.repository_id}}'];
  const taken = [`${a}/${r}/`, `${r}/v1/${a}/`, `x/${a}/y/${r}/z/`, `.x/${a}/...${'/'}${r}/`];
  const refused = [
    `${a}/${r}`,
    `${a}/`,
    `${a}${r}/`,
    `x${a}/${r}/`,
    `${a}/${r}/${a}/`,
    `${a}//${r}/`,
    `../${a}/${r}/`,
    '',
    '/',
  ];
  for (const template of taken) expect(prefixTemplateSchema.safeParse(template).success, template).toBe(true);
  for (const template of refused) expect(prefixTemplateSchema.safeParse(template).success, template).toBe(false);
});
