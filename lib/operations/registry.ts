import { createAccount, getAccount, getAccountFlags, updateAccountFlags } from './accounts.ts';
import { createDataConnection } from './data-connections.ts';
import type { Operation } from './operation.ts';
import { answerUnknownRoute, getHealth, revokeFoundKey } from './public.ts';
import { createRepository, getRepository } from './repositories.ts';
import { createServiceAccount, issueServiceAccountKey, putGrant, trustWorkflow } from './service-accounts.ts';
import { getSession } from './session.ts';

/** Every management operation. The stacks, the local gateway, the contract tests and the redaction of logs loop over it. */
export const registry: readonly Operation[] = [
  createAccount,
  getAccount,
  getAccountFlags,
  updateAccountFlags,
  getSession,
  createDataConnection,
  createRepository,
  getRepository,
  createServiceAccount,
  issueServiceAccountKey,
  putGrant,
  trustWorkflow,
  revokeFoundKey,
  getHealth,
  answerUnknownRoute,
];
