import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { doiSchema } from '../domain/citation/dois.ts';
import { citationFormatNames } from '../domain/citation/formats.ts';
import {
  freezeProgressSchema,
  type RepositoryVersion,
  repositoryVersionSchema,
  verificationSchema,
  versionNameSchema,
} from '../domain/data/repository-versions.ts';
import { boundedText } from '../domain/text.ts';
import * as values from './example-values.ts';
import { declarators } from './operation.ts';

const define = declarators({ group: 'versions', target: 'repository' });
export const versionOperations = define.all;

const path = '/repositories/{account_id}/{repository_id}/versions';
const permission = { kind: 'account', rule: accountRules.versions } as const;

export const createVersion = define.create({
  name: 'create-version',
  summary: 'Freeze the objects of a repository under a name; a background job does the work',
  path,
  permission,
  allowsApiKey: true,
  body: z.strictObject({ name: versionNameSchema, notes: boundedText(2000).optional() }),
  response: repositoryVersionSchema,
  location: (
    { name }: RepositoryVersion,
    { account_id, repository_id }: { account_id: string; repository_id: string },
  ) => `/repositories/${account_id}/${repository_id}/versions/${name}`,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { body: { name: values.version.name, notes: values.version.notes }, response: values.version },
});

export const listVersions = define.list({
  name: 'list-versions',
  summary: 'List the versions of a repository, newest first',
  path,
  permission: { kind: 'reading' },
  response: z.array(repositoryVersionSchema),
  example: { response: [values.readyVersion] },
});

export const getVersion = define.read({
  name: 'get-version',
  summary: 'Get a version of a repository, with the progress of its freeze or its last verification',
  path: `${path}/{version_name}`,
  permission: { kind: 'reading' },
  response: repositoryVersionSchema.extend({
    progress: freezeProgressSchema.optional(),
    verification: verificationSchema.optional(),
  }),
  example: { response: { ...values.version, progress: values.freezeProgress } },
});

export const verifyVersion = define.action({
  name: 'verify-version',
  summary: 'Compare the objects of a version with the storage; a background job does the work',
  method: 'POST',
  path: `${path}/{version_name}/verify`,
  permission,
  response: verificationSchema,
  status: 202,
  tableAccess: { actions: ['PutItem', 'ConditionCheckItem'] },
  example: { response: values.verification },
});

export const withdrawVersion = define.action({
  name: 'withdraw-version',
  summary: 'Withdraw a version; nobody can read it any more, and its name stays taken',
  method: 'POST',
  path: `${path}/{version_name}/withdraw`,
  permission,
  body: z.strictObject({ reason: boundedText(1000, 1) }),
  response: repositoryVersionSchema,
  tableAccess: { actions: ['PutItem', 'UpdateItem'] },
  example: { body: { reason: values.withdrawal.reason }, response: values.withdrawnVersion },
});

const named = `${path}/{version_name}` as const;

export const getVersionCitation = define.read({
  name: 'get-version-citation',
  summary: 'Get the citation of a version that is ready or withdrawn, in a format for programs',
  path: `${named}/citation`,
  permission: { kind: 'reading' },
  query: z.strictObject({ format: z.enum(citationFormatNames).default('datacite-json') }),
  response: z.object({ format: z.enum(citationFormatNames), media_type: z.string(), content: z.string() }),
  showsSite: true,
  example: {
    query: { format: 'ris' },
    response: { format: 'ris', media_type: 'application/x-research-info-systems', content: values.risCitation },
  },
});

export const updateVersionDoi = define.action({
  name: 'update-version-doi',
  summary: 'Set the DOI of a version, which was registered elsewhere; an empty text removes it',
  method: 'PUT',
  path: `${named}/doi`,
  permission,
  body: z.strictObject({ doi: doiSchema.or(z.literal('')) }),
  response: repositoryVersionSchema,
  tableAccess: { actions: ['PutItem', 'UpdateItem'] },
  example: { body: { doi: values.typedDoi.doi }, response: { ...values.readyVersion, doi: values.typedDoi } },
});

export const registerVersionDoi = define.action({
  name: 'register-version-doi',
  summary: 'Register a DOI for a version with DataCite, or update its metadata there',
  method: 'POST',
  path: `${named}/doi/register`,
  permission,
  response: repositoryVersionSchema,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  showsSite: true,
  registersDois: true,
  example: { response: { ...values.readyVersion, doi: values.registeredDoi } },
});
