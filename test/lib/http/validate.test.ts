import { expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { validate } from '../../../lib/http/validate.ts';
import { registry } from '../../../lib/operations/registry.ts';

function faults(name: string, path: Record<string, string>, body: unknown) {
  const operation = registry.find((candidate) => candidate.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  try {
    validate(operation, { path, query: {}, body });
  } catch (error) {
    if (error instanceof ServiceError) return error.faults?.map((fault) => `${fault.path}: ${fault.message}`);
    throw error;
  }
  return [];
}

const account = { account_id: 'tides' };
const details = { provider: 's3', bucket: 'bucket', base_prefix: '', region: 'us-east-1' };
const store = { data_connection_id: 'store', name: 'Store', read_only: false, allowed_data_modes: ['open'], details };
const repository = { repository_id: 'rivers', data_mode: 'closed', data_connection_id: 'store', meta: [] };
const password = { ...store, authentication: { type: 'password' } };
const elsewhere = { ...store, details: { ...details, provider: 'gcs' } };

test.each<[operation: string, path: Record<string, string>, body: unknown, expected: string[]]>([
  ['create-service-account', account, {}, ['name: is missing']],
  ['create-service-account', account, { name: 7 }, ['name: must be a text']],
  ['create-service-account', account, { name: 'sync', nme: '' }, [': has unknown fields: nme']],
  ['create-service-account', account, undefined, [': the body is missing']],
  ['update-account-flags', account, {}, [': the body must be a list']],
  [
    'create-data-connection',
    {},
    password,
    ['authentication.type: must be one of s3_access_key, s3_assume_role, s3_web_identity_role'],
  ],
  ['create-data-connection', {}, elsewhere, ['details.provider: must be s3']],
  ['revoke-found-keys', {}, { keys: [] }, ['keys: must not be empty']],
  ['revoke-found-key', {}, { key: 'x'.repeat(1025) }, ['key: must have at most 1024 characters']],
  [
    'create-repository',
    account,
    repository,
    ['data_mode: must be one of open, subscription, private', 'meta: must be an object'],
  ],
])('the fault of a field is named in plain words: %s of %j with %j', (name, path, body, expected) => {
  expect(faults(name, path, body)).toEqual(expected);
});

test.each(['ab', 'Tides', 'a--', 'x'.repeat(200)])('the message names the fault of the account ID %j', (account_id) => {
  expect(faults('get-account-flags', { account_id }, undefined)).toEqual([
    'account_id: must be 3 to 40 lower-case letters, digits and single hyphens, starting and ending with a letter or a digit',
  ]);
});
