import { describe, expect, test } from 'vitest';
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
const connection = {
  data_connection_id: 'first-store',
  name: 'The first store',
  read_only: false,
  allowed_data_modes: ['open'],
  details: { provider: 's3', bucket: 'bucket', base_prefix: '', region: 'us-east-1' },
};

describe('a fault of a field is named in plain words', () => {
  test.each<[string, string, Record<string, string>, unknown, string[]]>([
    ['missing', 'create-service-account', account, {}, ['name: is missing']],
    ['of another type', 'create-service-account', account, { name: 7 }, ['name: must be a text']],
    [
      'none of those there are',
      'create-repository',
      account,
      { repository_id: 'rivers', data_mode: 'closed', data_connection_id: 'store', meta: [] },
      ['data_mode: must be one of open, subscription, private', 'meta: must be an object'],
    ],
    ['no body', 'create-service-account', account, undefined, [': the body is missing']],
    ['a body of another type', 'update-account-flags', account, {}, [': the body must be a list']],
    [
      'credentials of no kind',
      'create-data-connection',
      {},
      { ...connection, authentication: { type: 'password' } },
      ['authentication.type: must be one of s3_access_key, s3_assume_role'],
    ],
    [
      'another provider',
      'create-data-connection',
      {},
      { ...connection, details: { ...connection.details, provider: 'gcs' } },
      ['details.provider: must be s3'],
    ],
    ['an empty list', 'revoke-found-keys', {}, { keys: [] }, ['keys: must not be empty']],
    ['too long', 'revoke-found-key', {}, { key: 'x'.repeat(1025) }, ['key: must have at most 1024 characters']],
    ['unknown', 'create-service-account', account, { name: 'sync', nme: '' }, [': has unknown fields: nme']],
  ])('%s', (_, name, path, body, expected) => {
    expect(faults(name, path, body)).toEqual(expected);
  });

  test.each(['ab', 'Tides', 'a--', 'x'.repeat(200)])('the ID %j of any kind of account', (account_id) => {
    expect(faults('get-account-flags', { account_id }, undefined)).toEqual([
      'account_id: must be 3 to 40 lower-case letters, digits and single hyphens, starting and ending with a letter or a digit',
    ]);
  });
});
