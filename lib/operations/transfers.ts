import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { listedTransferSchema, transferSchema } from '../domain/data/transfers.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

const ownersPermission = { kind: 'account', rule: accountRules.own_repositories } as const;
const answer = { actions: ['PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] } as const;

export const offerTransfer = defineOperation({
  name: 'offer-transfer',
  group: 'transfers',
  summary: 'Offer a repository to another account',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/transfers',
  target: 'repository',
  permission: ownersPermission,
  body: z.strictObject({ to: identifierSchema }),
  response: transferSchema,
  status: 201,
  // Includes reads, because the limits of invitations also apply to offers.
  tableAccess: {
    actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    indexes: [],
  },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    body: { to: 'grace' },
    response: values.transfer,
  },
});

export const listTransfers = defineOperation({
  name: 'list-transfers',
  group: 'transfers',
  summary: 'List the open offers that an account made or got',
  method: 'GET',
  path: '/accounts/{account_id}/transfers',
  target: 'account',
  permission: ownersPermission,
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(listedTransferSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: { path: { account_id: 'tide-institute' }, response: [values.listedTransfer] },
});

export const acceptTransfer = defineOperation({
  name: 'accept-transfer',
  group: 'transfers',
  summary: 'Accept a repository; its grants, keys and memberships end',
  method: 'POST',
  path: '/transfers/{transfer_id}/accept',
  target: 'incoming_transfer',
  permission: ownersPermission,
  response: transferSchema,
  status: 200,
  tableAccess: {
    actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: [],
  },
  example: {
    path: { transfer_id: values.acceptedTransfer.transfer_id },
    response: { ...values.acceptedTransfer, state: 'accepted' },
  },
});

export const declineTransfer = defineOperation({
  name: 'decline-transfer',
  group: 'transfers',
  summary: 'Decline a repository',
  method: 'POST',
  path: '/transfers/{transfer_id}/decline',
  target: 'incoming_transfer',
  permission: ownersPermission,
  response: transferSchema,
  status: 200,
  tableAccess: answer,
  example: {
    path: { transfer_id: values.declinedTransfer.transfer_id },
    response: { ...values.declinedTransfer, state: 'declined' },
  },
});

export const withdrawTransfer = defineOperation({
  name: 'withdraw-transfer',
  group: 'transfers',
  summary: 'Withdraw the offer of a repository',
  method: 'POST',
  path: '/transfers/{transfer_id}/withdraw',
  target: 'outgoing_transfer',
  permission: ownersPermission,
  response: transferSchema,
  status: 200,
  tableAccess: answer,
  example: {
    path: { transfer_id: values.transfer.transfer_id },
    response: { ...values.transfer, state: 'withdrawn' },
  },
});
