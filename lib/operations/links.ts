import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { createdLinkSchema, linkCredentialsSchema, listedLinkSchema, newLinkSchema } from '../domain/data/links.ts';
import { linkSecretBodySchema } from '../domain/secrets/link-secrets.ts';
import * as values from './example-values.ts';
import { declarators, exampleIds, openToAnyone } from './operation.ts';

const define = declarators({
  group: 'repositories',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.links },
});
export const linkOperations = define.all;

export const createLink = define.create({
  name: 'create-link',
  summary: 'Create a link with which readers without an account read a part of a repository for some days',
  path: '/repositories/{account_id}/{repository_id}/links',
  body: newLinkSchema,
  response: createdLinkSchema,
  secretFields: ['secret'],
  secretOf: 'link_id',
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { body: { prefix: 'hourly/', expires_in_days: 7, note: 'For the reviewers' }, response: values.createdLink },
});

export const listLinks = define.list({
  name: 'list-links',
  summary: 'List the links to the data of a repository',
  path: '/repositories/{account_id}/{repository_id}/links',
  response: z.array(listedLinkSchema),
  tableAccess: { actions: ['BatchGetItem'], indexes: ['lists'] },
  example: { response: [values.listedLink] },
});

export const deleteLink = define.action({
  name: 'delete-link',
  summary: 'Revoke a link; the data proxy refuses its credentials within the bounds of revocation',
  method: 'DELETE',
  path: '/repositories/{account_id}/{repository_id}/links/{link_id}',
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  example: {},
});

export const createLinkCredentials = define.action({
  name: 'create-link-credentials',
  summary: 'Get temporary credentials that read what a link shows',
  method: 'POST',
  path: '/links/{link_id}/credentials',
  ...openToAnyone,
  body: linkSecretBodySchema,
  response: linkCredentialsSchema,
  secretFields: ['secret_access_key', 'session_token'],
  sealsSessions: true,
  tableAccess: {
    actions: ['GetItem', 'BatchGetItem', 'UpdateItem'],
    partitions: ['LINK#', 'LINK_USES#', 'ACCOUNT#', 'REPOSITORY#'],
  },
  example: {
    path: { link_id: exampleIds.link_id },
    body: { secret: values.dataLinkSecret },
    response: values.linkCredentials,
  },
});
