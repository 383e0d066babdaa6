import fc from 'fast-check';
import { expect, test } from 'vitest';
import { platformOperations } from '../../lib/operations/hinted-operations.ts';
import { operationId, type TargetKind } from '../../lib/operations/operation.ts';
import { answerData, answerExchange } from '../model/data.ts';
import { type Caller, type DataSet, findAccount, type Question } from '../model/data-set.ts';
import { answerManagement, isListed, operations } from '../model/management.ts';
import { testSeed } from '../service/seeded-random.ts';
import { testService } from '../service/test-service.ts';
import { Differential } from './differential.ts';
import { accessKeyIdOf, dataSetArbitrary, identityOf, newcomer, users, uuidOf } from './generated-data-sets.ts';
import {
  type Asked,
  askedOperations,
  dataArbitrary,
  managementArbitrary,
  operationKey,
} from './generated-questions.ts';
import { clientOf, servedAnswer, servedDataAnswer, servedExchangeAnswer } from './served-answers.ts';
import { makeGround, makers, renamed, type ServedDataSet, serveDataSet, workflowSubject } from './served-data-set.ts';

/** Each data set receives requests over HTTP, which change it. Later requests see the changes. */
const dataSetsAsked = 3;
const managementQuestions = 150;
const dataQuestions = 60;

const dataSets = fc
  .sample(dataSetArbitrary, { numRuns: dataSetsAsked })
  .map((dataSet, index) => renamed(dataSet, `${index}`));
const adminIdentityIds = [...Object.values(makers), ...dataSets.flatMap(({ configuredAdmins }) => configuredAdmins)];

const service = await testService({ adminIdentityIds, accountLoopbackEndpoints: true });
await makeGround(service);

test.each(dataSets.map((dataSet, index) => ({ dataSet, index })))(
  'the service matches the access model before and after changes of data set $index',
  { timeout: 180_000 },
  async ({ dataSet, index }) => {
    const served = await serveDataSet(service, dataSet, renamed([...users.map(identityOf), newcomer], `${index}`));
    service.advance(400);
    await askForData(served, index);
    const differences = new Differential(answerManagement, (question) => servedAnswer(service, served, question));
    const asked = fc.sample(managementArbitrary, { numRuns: managementQuestions, seed: testSeed + index });
    for (const question of asked.map((one) => renamed(one, `${index}`))) {
      await differences.askOnce(withServedIds(served, question));
    }
    expect(differences.differences(), `with SEED=${testSeed}`).toEqual([]);
    await lookAtLists(served);
    await lookAtHints(served);
    service.advance(400);
    await askForData(served, index + 100);
  },
);

/** Generated keys and memberships have numbers. The service assigns their IDs. */
function withServedIds({ dataSet }: ServedDataSet, asked: Asked): Question {
  const { caller, target } = asked;
  const keyOf = (id: string) => dataSet.keys[numberOf(id, accessKeyIdOf)]?.id ?? id;
  const transferOf = (id: string) => dataSet.transfers[numberOf(id, uuidOf)]?.id ?? id;
  const membershipOf = (id: string) => dataSet.memberships[numberOf(id, uuidOf)]?.id || id;
  return {
    ...asked,
    dataSet,
    caller: caller.kind === 'key' ? { ...caller, id: keyOf(caller.id) } : caller,
    target: {
      ...target,
      ...(target.membership && { membership: membershipOf(target.membership) }),
      ...(target.transfer && { transfer: transferOf(target.transfer) }),
      ...(target.key && { key: keyOf(target.key) }),
    },
  };
}

function numberOf(id: string, name: (index: number) => string): number {
  return Array.from({ length: 26 }, (_, index) => name(index)).indexOf(id);
}

/**
 * Returns the user's session for the question. A user without a session for the named repository uses a session for
 * another repository.
 */
function sessionOf({ sessions }: ServedDataSet, { account, role, narrowedTo }: Extract<Caller, { kind: 'session' }>) {
  const alike = sessions.filter(
    ({ caller }) =>
      caller.account === account &&
      caller.role === role &&
      (caller.narrowedTo === undefined) === (narrowedTo === undefined),
  );
  return alike.find(({ caller }) => caller.narrowedTo === narrowedTo) ?? alike[0];
}

async function askForData(served: ServedDataSet, index: number): Promise<void> {
  const { dataSet, sessions, signers } = served;
  const data = new Differential(answerData, (question) => {
    const { caller } = question;
    const session = sessions.find((one) => one.caller === caller);
    return servedDataAnswer(
      service,
      question,
      session?.signer ?? (caller.kind === 'key' ? signers.get(caller.id) : undefined),
    );
  });
  for (const asked of fc.sample(dataArbitrary, { numRuns: dataQuestions, seed: testSeed + index })) {
    const question = withServedIds(served, renamed(asked, `${index % 100}`));
    const { caller } = question;
    const session = caller.kind === 'session' ? sessionOf(served, caller) : undefined;
    if (caller.kind === 'session' && session === undefined) continue;
    if (caller.kind === 'key' && !signers.has(caller.id)) continue;
    await data.askOnce({ ...question, caller: session?.caller ?? caller });
  }
  expect(data.differences(), `with SEED=${testSeed}`).toEqual([]);

  const exchanges = new Differential(answerExchange, (question) => servedExchangeAnswer(service, served, question));
  const base = { dataSet, operation: 'exchange', input: {} };
  for (const { id } of dataSet.signInKeys) {
    await exchanges.askOnce({
      ...base,
      caller: { kind: 'sign-in-key', id },
      target: { account: `nobody--${id.slice(0, 8)}` },
    });
  }
  for (const { id } of dataSet.accounts.filter(({ type }) => type === 'service')) {
    const target = { account: id.includes('--') ? id : `${id}--sync` };
    await exchanges.askOnce({ ...base, caller: { kind: 'workflow', subject: workflowSubject }, target });
  }
  expect(exchanges.differences(), `with SEED=${testSeed}`).toEqual([]);
}

function callersOf(dataSet: DataSet): Caller[] {
  return [
    { kind: 'anonymous' },
    ...dataSet.accounts.flatMap(({ identity }): Caller[] => (identity ? [{ kind: 'user', identity }] : [])),
    ...dataSet.keys
      .filter(({ revoked, expired }) => !revoked && !expired)
      .map(({ id }): Caller => ({ kind: 'key', id })),
  ];
}

async function lookAtLists(served: ServedDataSet): Promise<void> {
  const { dataSet } = served;
  const owners = new Set(dataSet.repositories.map(({ account }) => account));
  for (const caller of callersOf(dataSet)) {
    for (const account of owners) {
      const operation = 'GET /repositories/{account_id}';
      const { status, body } = await clientOf(service, served, { caller })('GET', `/repositories/${account}`);
      if (status === 401) continue;
      const shown = (body as { repository_id: string }[]).map((one) => one.repository_id);
      const listed = dataSet.repositories
        .filter((one) => one.account === account)
        .filter(({ id }) => isListed({ dataSet, caller, operation, target: { account, repository: id }, input: {} }));
      const isKnown = (id: string) => dataSet.repositories.some((one) => one.account === account && one.id === id);
      expect({ caller, account, shown: shown.filter(isKnown).sort() }).toEqual({
        caller,
        account,
        shown: listed.map(({ id }) => id).sort(),
      });
    }
  }
}

/**
 * Compares the permissions in responses with the model. They must be all operations that the model allows on the
 * resource, except those that anyone may use.
 */
async function lookAtHints(served: ServedDataSet): Promise<void> {
  const { dataSet } = served;
  /**
   * The permissions in a response leave out operations that anyone may use. For a service account, they may contain an
   * operation that service accounts do not have. The service refuses this operation.
   */
  const isTold = (operation: string, target: Question['target']) => {
    const words = operations.get(operation) ?? [];
    const isOfOwner = operation.includes('/service-accounts/');
    const isService = !isOfOwner && findAccount(dataSet, target.account)?.type === 'service';
    return !(words.includes('anyone') || words.includes('any-identity') || (isService && !words.includes('+services')));
  };
  const hinted = (kind: TargetKind, target: Question['target']) =>
    askedOperations.filter((declared) => declared.target === kind && isTold(operationKey(declared), target));
  const allowed = (kind: TargetKind, caller: Caller, target: Question['target']) =>
    hinted(kind, target).filter((declared) => {
      const operation = operationKey(declared);
      const answer = answerManagement({ dataSet, caller, operation, target, input: { role: 'read_data' } });
      return answer === 'allowed' || answer === 'refused';
    });
  const platform = new Set(platformOperations.map(operationId));
  let seen = 0;
  for (const caller of callersOf(dataSet)) {
    const client = clientOf(service, served, { caller });
    const look = async (kind: TargetKind, path: string, target: Question['target']) => {
      const { status, body } = await client('GET', path);
      if (status !== 200) return;
      seen += 1;
      // test/functions/accounts/platform-permissions.test.ts tests the rights of administrators on resources without an
      // account.
      const permissions = (body as { permissions: string[] }).permissions.filter((id) => !platform.has(id));
      const ofKind = askedOperations.filter((declared) => declared.target === kind).map(operationId);
      expect(ofKind).toEqual(expect.arrayContaining(permissions));
      const told = hinted(kind, target).filter((declared) => permissions.includes(operationId(declared)));
      expect({ caller, target, told: told.map(operationKey) }).toEqual({
        caller,
        target,
        told: allowed(kind, caller, target).map(operationKey),
      });
    };
    for (const { id, owner } of dataSet.accounts) {
      await look('account', `/accounts/${id}/permissions`, { account: id });
      if (owner !== undefined) await look('service_account', `/service-accounts/${id}`, { account: id });
    }
    for (const { account, id } of dataSet.repositories) {
      for (const shown of ['overview', 'permissions'])
        await look('repository', `/repositories/${account}/${id}/${shown}`, { account, repository: id });
    }
  }
  expect(seen).toBeGreaterThan(0);
}
