import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { ciProviderKindSchema } from '../domain/ci/issuers.ts';
import { listedIssuerSchema, registeredIssuerSchema } from '../domain/ci/registered-issuers.ts';
import { limits } from '../domain/limits.ts';
import * as values from './example-values.ts';
import { declarators } from './operation.ts';

const define = declarators({
  group: 'issuers',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.issuers },
});
export const issuerOperations = define.all;

export const registerIssuer = define.create({
  name: 'register-issuer',
  summary: 'Register an issuer, whose workloads the service accounts of the account can trust',
  path: '/accounts/{account_id}/issuers',
  body: z.strictObject({ issuer: z.string().max(limits.issuerBytesMax), kind: ciProviderKindSchema }),
  response: registeredIssuerSchema,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { body: values.newIssuer, response: values.registeredIssuer },
});

export const listIssuers = define.list({
  name: 'list-issuers',
  summary: 'List the issuers that an account registered, with the results of the last fetches of their keys',
  path: '/accounts/{account_id}/issuers',
  response: z.array(listedIssuerSchema),
  tableAccess: { indexes: ['lists', 'sublists'] },
  example: { response: [values.listedIssuer] },
});

export const deleteIssuer = define.action({
  name: 'delete-issuer',
  summary: 'Delete a registered issuer; the workflows that name it can no longer sign in',
  method: 'DELETE',
  path: '/accounts/{account_id}/issuers/{issuer_id}',
  tableAccess: { actions: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  example: {},
});
