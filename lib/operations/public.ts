import * as z from 'zod';
import { defineOperation } from './operation.ts';

export const revokeFoundKey = defineOperation({
  name: 'revoke-found-key',
  group: 'public',
  summary: 'Revoke a service-account key that was found in a public place',
  method: 'POST',
  path: '/service-account-keys/revocations',
  target: 'nothing',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  body: z.strictObject({ key: z.string().max(1024) }),
  status: 204,
  tableAccess: { actions: ['UpdateItem'], indexes: [] },
});

export const getHealth = defineOperation({
  name: 'get-health',
  group: 'public',
  summary: 'Whether the service answers',
  method: 'GET',
  path: '/health',
  outsideBase: true,
  target: 'nothing',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  response: z.object({ status: z.literal('ok') }),
  status: 200,
  tableAccess: { actions: [], indexes: [] },
});

/** Whatever no route names, so that this too is a problem document, and a key in any URL is told about. */
export const answerUnknownRoute = defineOperation({
  name: 'answer-unknown-route',
  group: 'public',
  summary: 'Answer a request that no operation takes',
  method: 'ANY',
  path: '/$default',
  outsideBase: true,
  target: 'nothing',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  status: 204,
  tableAccess: { actions: [], indexes: [] },
});
