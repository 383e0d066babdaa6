import * as z from 'zod';
import { leakReportSchema, leakVerdictSchema, reportHeaders } from '../domain/changes/leaked-key-reports.ts';
import { limits } from '../domain/limits.ts';
import * as values from './example-values.ts';
import { declarators, openToAnyone } from './operation.ts';

const define = declarators({ group: 'public', ...openToAnyone });
export const publicOperations = define.all;

const foundPairSchema = z.strictObject({
  access_key_id: z.string().max(128),
  secret_access_key: z.string().max(1024),
});

export const revokeFoundKey = define.action({
  name: 'revoke-found-key',
  summary: 'Revoke a leaked key',
  method: 'POST',
  path: '/service-account-keys/revocations',
  /** The body contains either `key`, or both `access_key_id` and `secret_access_key`. */
  body: z.strictObject({ key: z.string().max(1024).optional(), ...foundPairSchema.partial().shape }),
  tableAccess: { actions: ['UpdateItem'], partitions: ['API_KEY#', 'SERVICE_KEY#'] },
  example: { body: { key: values.foundKey } },
});

export const revokeFoundKeys = define.action({
  name: 'revoke-found-keys',
  summary: 'Revoke many leaked keys',
  method: 'POST',
  path: '/service-account-keys/revocations/batch',
  body: z.strictObject({
    keys: z
      .array(z.union([z.string().max(1024), foundPairSchema]))
      .min(1)
      .max(limits.revocationBatchMax),
  }),
  bodyBytesMax: limits.revocationBatchBytesMax,
  /**
   * The positions in the request of keys with an incorrect form. The first position is 0. The response reveals nothing
   * about the other keys.
   */
  response: z.object({ malformed: z.array(z.int()) }),
  status: 202,
  tableAccess: { actions: ['BatchGetItem', 'UpdateItem'], partitions: ['API_KEY#', 'SERVICE_KEY#'] },
  example: { body: { keys: [values.foundKey, 'sck_cut-short', values.foundPair] }, response: { malformed: [1] } },
});

export const reportFoundKeys = define.webhook({
  name: 'report-found-keys',
  summary: 'Receive signed reports of leaked keys from a secret scanning partner',
  path: '/service-account-keys/reports',
  signedBody: {
    schema: leakReportSchema,
    headers: Object.values(reportHeaders),
    bytesMax: limits.leakReportBytesMax,
  },
  response: z.array(leakVerdictSchema),
  tableAccess: { actions: ['UpdateItem'], partitions: ['API_KEY#', 'SERVICE_KEY#'] },
  example: { body: [values.foundMatch], response: [values.foundVerdict] },
});

export const getHealth = define.read({
  name: 'get-health',
  summary: 'Check that the service answers',
  path: '/health',
  outsideBase: true,
  response: z.object({ status: z.literal('ok') }),
  example: { response: { status: 'ok' } },
});

export const getOpenapi = define.read({
  name: 'get-openapi',
  summary: 'Get the OpenAPI document of this API',
  path: '/openapi.json',
  response: z.looseObject({ openapi: z.string() }),
  example: { response: { openapi: '3.1.1', info: { title: 'Sluice', version: '1' }, paths: {} } },
});

export const getDocs = define.page({
  name: 'get-docs',
  summary: 'Read the API reference',
  path: '/docs',
  showsSiteDesign: true,
});
