import { exchange } from '../data/whole-answer.ts';
import type { SignerOptions } from '../lib/sigv4/signed-request.ts';
import type { Account, Answer, Question } from '../model/data-set.ts';
import { answerManagement } from '../model/management.ts';
import { ciToken, signIn } from '../service/data-clients.ts';
import type { Client, TestService } from '../service/test-service.ts';
import { declarationOf } from './generated-questions.ts';
import { bodyOf, pathOf, queryOf } from './ruled-answers.ts';
import { endSessions, type ServedDataSet } from './served-data-set.ts';

let made = 0;

/**
 * Returns a request body whose effect no later question reads, or whose effect this module records in the model's data.
 */
function sentBody(question: Question): unknown {
  const { dataSet, operation, target } = question;
  const body = bodyOf(declarationOf(operation), question);
  if (operation === 'POST /accounts') return { ...(body as object), account_id: dataSet.accounts[0]?.id };
  if (operation === 'POST /repositories/{account_id}') return { ...(body as object), repository_id: `made-${++made}` };
  if (operation === 'POST /accounts/{account_id}/service-accounts') return { name: `made-${++made}` };
  if (operation === 'POST /repositories/{account_id}/{repository_id}/delete')
    return { confirm: `${target.account}/${target.repository}` };
  if (operation === 'POST /accounts/{account_id}/delete') return { confirm: target.account };
  if (operation.endsWith('/data-connections')) return { ...(body as object), data_connection_id: `made-${++made}` };
  if (operation === 'POST /data-connections/{data_connection_id}/delete') return { confirm: target.connection };
  if (operation.endsWith('/transfers')) return { to: dataSet.accounts.find(({ id }) => id !== target.account)?.id };
  if (operation.endsWith('/flags')) return dataSet.accounts.find(({ id }) => id === target.account)?.flags ?? [];
  if (operation !== 'PUT /repositories/{account_id}/{repository_id}') return body;
  const repository = dataSet.repositories.find(
    ({ account, id }) => account === target.account && id === target.repository,
  );
  return { ...(body as object), state: repository?.state ?? 'unlisted' };
}

export function clientOf(
  service: TestService,
  { clients }: ServedDataSet,
  { caller }: Pick<Question, 'caller'>,
): Client {
  if (caller.kind === 'anonymous') return service.anyone;
  const sent = caller.kind === 'user' ? caller.identity : caller.kind === 'key' ? caller.id : '';
  return clients.get(sent) ?? service.withAuthorization('Bearer of-nobody');
}

/** Sends a request to the service, and records its changes in the model's data. */
export async function servedAnswer(service: TestService, served: ServedDataSet, question: Question): Promise<Answer> {
  const declared = declarationOf(question.operation);
  const named = pathOf(declared, question);
  const path = declared.path.replace(/\{([a-z_]+)\}/g, (_, name: string) => named[name] ?? 'missing');
  const query = new URLSearchParams(queryOf(declared, question)).toString();
  const url = `${service.apiUrl}${declared.outsideBase ? '' : '/api/v1'}${path}${query && `?${query}`}`;
  const sent = declared.method === 'GET' ? undefined : sentBody(question);
  // The response of a page is HTML, not JSON.
  if (declared.kind === 'page') return (await fetch(url)).ok ? 'allowed' : 'refused';
  const body = typeof sent === 'string' ? JSON.stringify(sent) : sent;
  const answer = await clientOf(service, served, question)(declared.method, url, body);
  if (answer.status < 300) {
    applyEffect(served, question);
    return 'allowed';
  }
  if (answer.status === 401 || answer.status === 403) return answer.status;
  if (answer.status === 404) return isOfPart(declared.path, answer.body.detail) ? 'refused' : 404;
  return /not a data connection that you may use/.test(answer.body?.detail) ? 400 : 'refused';
}

/** Returns true if a path names a part of its target, such as a key, and this part is missing. */
function isOfPart(path: string, detail: string): boolean {
  if (path.includes('{version_name}')) return /version/.test(detail);
  if (path.includes('link_id}')) return /link/.test(detail);
  if (path.includes('{deletion_id}')) return /deletion/.test(detail);
  const namesAPart = /\{(key_id|workflow_id|issuer_id|blocked_account_id)\}|grants\/\{/.test(path);
  return namesAPart && /key|workflow|issuer|grant|repository|blocked/.test(detail);
}

function applyEffect(served: ServedDataSet, question: Question): void {
  const { dataSet } = served;
  const { operation, target, input } = question;
  const account = dataSet.accounts.find(({ id }) => id === target.account);
  const repository = dataSet.repositories.find((one) => one.account === target.account && one.id === target.repository);
  const membership = dataSet.memberships.find(({ id }) => id === target.membership);
  const disable = (thing: Pick<Account, 'disabledBy'> | undefined) => {
    if (thing !== undefined && thing.disabledBy !== 'admin') thing.disabledBy = actsAs(question);
  };
  switch (operation) {
    case 'POST /accounts/{account_id}/disable':
    case 'POST /service-accounts/{service_account_id}/disable':
      disable(account);
      endSessions(served, target.account ?? '');
      return;
    case 'POST /repositories/{account_id}/{repository_id}/disable':
      disable(repository);
      return;
    case 'PATCH /repositories/{account_id}/{repository_id}/settings':
      if (repository) repository.federatedOnly = true;
      return;
    case 'POST /accounts/{account_id}/delete':
      removeAccount(served, target.account ?? '');
      return;
    case 'POST /accounts/{account_id}/enable':
    case 'POST /service-accounts/{service_account_id}/enable':
      if (account) account.disabledBy = undefined;
      return;
    case 'POST /repositories/{account_id}/{repository_id}/enable':
      if (repository) repository.disabledBy = undefined;
      return;
    case 'POST /repositories/{account_id}/{repository_id}/delete':
      dataSet.repositories = dataSet.repositories.filter((one) => one !== repository);
      return;
    case 'PUT /repositories/{account_id}/{repository_id}/data-mode':
      // The data mode in the example of the OpenAPI document.
      if (repository) repository.mode = 'private';
      return;
    case 'POST /transfers/{transfer_id}/accept':
      giveRepository(served, target.transfer ?? '');
      return;
    case 'DELETE /service-accounts/{service_account_id}':
      dataSet.accounts = dataSet.accounts.filter((one) => one !== account);
      return;
    case 'PUT /service-accounts/{service_account_id}/grants/{repository_id}':
    case 'DELETE /service-accounts/{service_account_id}/grants/{repository_id}':
      changeGrant(served, question);
      return;
    case 'POST /memberships/{membership_id}/accept':
      if (membership) membership.state = 'member';
      return;
    case 'POST /memberships/{membership_id}/reject':
    case 'POST /memberships/{membership_id}/revoke':
      if (membership) membership.state = 'revoked';
      return;
    case 'POST /memberships/{membership_id}/update-role':
      if (membership && input.role) membership.role = input.role;
      return;
    case 'DELETE /api-keys/{access_key_id}':
      for (const key of dataSet.keys) if (key.id === target.key) key.revoked = true;
      return;
    case 'POST /data-connections/{data_connection_id}/delete':
      dataSet.connections = dataSet.connections.filter(({ id }) => id !== target.connection);
      return;
    case 'DELETE /data-connections/{data_connection_id}':
      for (const connection of dataSet.connections) if (connection.id === target.connection) connection.readOnly = true;
  }
}

/** Removes an account with its keys and memberships. */
function removeAccount({ dataSet }: ServedDataSet, id: string): void {
  dataSet.accounts = dataSet.accounts.filter((one) => one.id !== id);
  dataSet.keys = dataSet.keys.filter((key) => key.account !== id);
  for (const membership of dataSet.memberships) if (membership.member === id) membership.state = 'revoked';
}

/**
 * Moves the repository to the other account with a new internal ID. Keeps the transfer, because authorized callers can
 * still read it.
 */
function giveRepository({ dataSet, offered }: ServedDataSet, transferId: string): void {
  const transfer = dataSet.transfers.find(({ id }) => id === transferId);
  const repository = dataSet.repositories.find(({ uid }) => uid === offered.get(transferId));
  if (transfer === undefined || repository === undefined) throw new Error('it was accepted and is not known');
  repository.account = transfer.to;
  repository.uid = `${repository.uid}, given to ${transfer.to}`;
}

/** For an allowed caller who is not an admin, the request acts for the owner account. */
function actsAs(question: Question): 'owner' | 'admin' {
  const { dataSet } = question;
  const withoutAdmins = {
    ...dataSet,
    configuredAdmins: [],
    accounts: dataSet.accounts.map((one) => ({ ...one, flags: one.flags.filter((flag) => flag !== 'admin') })),
  };
  return answerManagement({ ...question, dataSet: withoutAdmins }) === 'allowed' ? 'owner' : 'admin';
}

/** All grants in these questions are for one repository, with the access of the document's example. */
function changeGrant({ dataSet }: ServedDataSet, question: Question): void {
  const { operation, target } = question;
  const serviceAccount = dataSet.accounts.find(({ id }) => id === target.account);
  const repository = dataSet.repositories.find((one) => one.account === serviceAccount?.owner && one.id === 'tides');
  const isThis = (grant: (typeof dataSet.grants)[number]) =>
    grant.serviceAccount === serviceAccount?.uid && grant.repository === repository?.uid;
  dataSet.grants = dataSet.grants.filter((grant) => !isThis(grant));
  if (operation.startsWith('DELETE') || serviceAccount === undefined || repository === undefined) return;
  const { access } = bodyOf(declarationOf(operation), question) as { access: 'read' | 'read_write' };
  dataSet.grants.push({ serviceAccount: serviceAccount.uid, repository: repository.uid, access });
}

export async function servedDataAnswer(
  service: TestService,
  { operation, target }: Question,
  signer: SignerOptions | undefined,
): Promise<Answer> {
  const { account, repository } = target;
  const query = { 'list-type': '2', prefix: `${repository}/` };
  const request =
    operation === 'list'
      ? { method: 'GET', path: `/${account}`, query }
      : { method: operation === 'read' ? 'GET' : 'PUT', path: `/${account}/${repository}/object` };
  const sent = operation === 'write' ? { ...request, body: 'x' } : request;
  const { status } = await exchange(service.dataUrl, sent, signer && { ...signer, signedAt: service.services.clock() });
  return status === 403 ? 403 : status < 300 || status === 404 ? 'allowed' : 'refused';
}

export async function servedExchangeAnswer(service: TestService, served: ServedDataSet, { caller, target }: Question) {
  const key = caller.kind === 'sign-in-key' ? served.signInKeys.get(caller.id) : undefined;
  const token = key ?? (await ciToken(service, caller.kind === 'workflow' ? { sub: caller.subject } : {}));
  const refusals: Record<string, Answer> = {
    InvalidIdentityToken: 400,
    InvalidIdentityTokenException: 400,
    AccessDenied: 403,
  };
  try {
    await signIn(service, token, { serviceAccountId: target.account ?? '' });
    return 'allowed';
  } catch (error) {
    const answer = refusals[(error as Error).name];
    if (answer === undefined) throw error;
    return answer;
  }
}
