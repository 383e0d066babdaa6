import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { listedTransferSchema, transferSchema } from '../domain/data/transfers.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import * as values from './example-values.ts';
import { declarators } from './operation.ts';

const define = declarators({
  group: 'transfers',
  permission: { kind: 'account', rule: accountRules.own_repositories },
});
export const transferOperations = define.all;

const answer = { actions: ['PutItem', 'UpdateItem', 'DeleteItem'] } as const;

export const offerTransfer = define.create({
  name: 'offer-transfer',
  summary: 'Request the transfer of a repository to another account',
  path: '/repositories/{account_id}/{repository_id}/transfers',
  target: 'repository',
  body: z.strictObject({ to: identifierSchema }),
  response: transferSchema,
  // The operation reads the number of open invitations, because the limit of invitations applies to transfer offers.
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { body: { to: 'grace' }, response: values.transfer },
});

export const listTransfers = define.list({
  name: 'list-transfers',
  summary: 'List the open transfer requests from and to an account',
  path: '/accounts/{account_id}/transfers',
  target: 'account',
  response: z.array(listedTransferSchema),
  example: { response: [values.listedTransfer] },
});

export const acceptTransfer = define.action({
  name: 'accept-transfer',
  summary: 'Accept a transfer; the grants, keys and memberships of the repository end',
  method: 'POST',
  path: '/transfers/{transfer_id}/accept',
  target: 'incoming_transfer',
  response: transferSchema,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  example: {
    path: { transfer_id: values.acceptedTransfer.transfer_id },
    response: { ...values.acceptedTransfer, state: 'accepted' },
  },
});

export const declineTransfer = define.action({
  name: 'decline-transfer',
  summary: 'Decline a transfer',
  method: 'POST',
  path: '/transfers/{transfer_id}/decline',
  target: 'incoming_transfer',
  response: transferSchema,
  tableAccess: answer,
  example: {
    path: { transfer_id: values.declinedTransfer.transfer_id },
    response: { ...values.declinedTransfer, state: 'declined' },
  },
});

export const withdrawTransfer = define.action({
  name: 'withdraw-transfer',
  summary: 'Withdraw a transfer request',
  method: 'POST',
  path: '/transfers/{transfer_id}/withdraw',
  target: 'outgoing_transfer',
  response: transferSchema,
  tableAccess: answer,
  example: { response: { ...values.transfer, state: 'withdrawn' } },
});
