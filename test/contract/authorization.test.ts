import { beforeAll, expect, test } from 'vitest';
import { successStatus } from '../../lib/operations/operation.ts';
import { inBatches, made } from '../functions/users.ts';
import { type MatrixRow, matrixRows } from '../lib/domain/accounts/permissions/matrix.ts';
import {
  type CallerKind,
  callerKinds,
  ownedCase,
  type Scope,
} from '../lib/domain/accounts/permissions/matrix-shape.ts';
import { type Answer, testService } from '../service/test-service.ts';
import { type Attempt, prepareRequest } from './authorization-requests.ts';
import { buildFixture } from './fixture.ts';

const service = await testService();
const fixture = await buildFixture(service);
// Moves the clock by 8 days, because new accounts may send only a few invitations a day.
service.advance(8 * 86_400);
const { body: stray } = await made(
  fixture.root('POST', `/service-accounts/${fixture.place('organization').service_account_id}/keys`, {
    ...{ label: 'stray', expiry: 'never' },
  }),
);

/**
 * The status for allowed callers when the target lacks the property: a service account has no profile, no flags, and no
 * repositories.
 */
const answersByState: Readonly<Record<string, Partial<Record<Scope, number>>>> = {
  'get-profile': { service: 404 },
  'update-profile': { service: 404 },
  'update-account-flags': { service: 409 },
  'set-repository-limit': { service: 409 },
  // An enabled account cannot be deleted. account-deletion.test.ts deletes disabled ones.
  'delete-account': { organization: 409 },
  'list-account-repositories': { service: 404 },
  'create-repository': { service: 400 },
  'create-repository-api-key': { service: 404 },
  'list-repository-api-keys': { service: 404 },
  'invite-repository-member': { service: 404 },
  'list-repository-members': { service: 404 },
  'create-repository-invitation-link': { service: 404 },
  'list-repository-invitation-links': { service: 404 },
  'delete-repository-invitation-link': { service: 404 },
  'get-file-deletion': { service: 404 },
  'stop-file-deletion': { service: 404 },
  'get-repository-usage': { service: 404 },
  'get-repository-usage-files': { service: 404 },
  'get-repository-usage-table': { service: 404 },
  'get-repository-usage-badge': { service: 404 },
  'get-repository-usage-report': { service: 404 },
  'get-repository': { service: 404 },
  'update-repository': { service: 404 },
  'disable-repository': { service: 404 },
  'feature-repository': { service: 404 },
  'enable-repository': { service: 404 },
  // An enabled repository cannot be deleted. repository-deletion.test.ts deletes disabled ones.
  'delete-repository': { user: 409, organization: 409 },
  // No partner is configured, so no signature is valid.
  'report-found-keys': { any: 404 },
  // No account at DataCite is configured.
  'register-version-doi': { user: 409, organization: 409 },
  'answer-unknown-route': { any: 404 },
};

interface Sent {
  row: MatrixRow;
  kind: CallerKind;
  attempt: Attempt;
}

/** Returns true for a request that changes nothing: a read request, or a request that the permission matrix refuses. */
const changesNothing = ({ row, kind }: Pick<Sent, 'row' | 'kind'>) =>
  row.operation.method === 'GET' || row.verdicts.get(kind) !== 'allowed';
/** Returns true for a request whose caller is the disabled user of the target account. */
const isOfDisabled = ({ row, kind }: Pick<Sent, 'row' | 'kind'>) => kind === 'disabled_user' && row.scope === 'user';

/** The answer to each request that changes nothing. All callers of one test send the same request. */
const unchanging = new Map<MatrixRow, Map<CallerKind, string>>();
/**
 * The expected answer to the key of an owned service account. The API accepts such a key in neither of its
 * authentication schemes.
 */
const toStrayKey = new Map<MatrixRow, string[]>();

beforeAll(async () => {
  const attempts = new Map<MatrixRow, Attempt>();
  await inBatches(matrixRows.length, 4, async (index) => {
    const row = matrixRows[index] as MatrixRow;
    attempts.set(row, await prepareRequest(fixture, row, 'stranger'));
  });
  const all = matrixRows.flatMap((row) =>
    callerKinds.map((kind) => ({ row, kind, attempt: attempts.get(row) as Attempt })).filter(changesNothing),
  );
  for (const row of matrixRows) unchanging.set(row, new Map());
  const sendEach = (sent: readonly Sent[], onAnswer: (sent: Sent, answer: string) => void) =>
    inBatches(sent.length, 24, async (index) => {
      const one = sent[index] as Sent;
      onAnswer(one, await send(one));
    });
  const record = ({ row, kind }: Sent, answer: string) => void unchanging.get(row)?.set(kind, answer);
  await withUnchangedData(async () => {
    await sendEach(
      all.filter((sent) => !isOfDisabled(sent)),
      record,
    );
    const strays = [`Bearer ${stray.key}`, `${stray.service_account_id} ${stray.key}`].flatMap((authorization) =>
      [...attempts].map(([row, attempt]): Sent => {
        const as = { stranger: service.withAuthorization(authorization) };
        return { row, kind: 'stranger', attempt: { ...attempt, as } };
      }),
    );
    await sendEach(strays, ({ row }, answer) => toStrayKey.set(row, [...(toStrayKey.get(row) ?? []), answer]));
  });
  await fixture.whileDisabled(() => withUnchangedData(() => sendEach(all.filter(isOfDisabled), record)));
}, 300_000);

/** Answers repeated reads of authorization data from memory during `act`, which changes no data. */
async function withUnchangedData(act: () => Promise<void>): Promise<void> {
  const { requestData } = service.services.store;
  const names = ['findAccountIdOfUser', 'findApiKey', 'isOfPresentRepository', 'readRequestData'] as const;
  for (const name of names) {
    const read = requestData[name].bind(requestData) as (query: unknown) => Promise<unknown>;
    const known = new Map<string, Promise<unknown>>();
    const cached = (query: unknown) => {
      const key = JSON.stringify(query);
      const found = known.get(key) ?? read(query);
      known.set(key, found);
      return found;
    };
    Object.assign(requestData, { [name]: cached });
  }
  await act();
  for (const name of names) Reflect.deleteProperty(requestData, name);
}

test.for(matrixRows)(
  '$name ($scope) answers every kind of caller as the table of permissions requires',
  async (row) => {
    const answered = new Map(unchanging.get(row));
    for (const kind of callerKinds.filter((each) => !changesNothing({ row, kind: each }))) {
      const attempt = await prepareRequest(fixture, row, kind);
      const sent = { row, kind, attempt };
      if (isOfDisabled(sent)) await fixture.whileDisabled(async () => void answered.set(kind, await send(sent)));
      else answered.set(kind, await send(sent));
      await attempt.undo?.();
    }
    expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(row.verdicts));
    if (row.operation.permission.kind !== 'anyone')
      expect(toStrayKey.get(row)).toEqual(['unauthenticated', 'unauthenticated']);
  },
);

test('the routes of accounts refuse to disable, enable, or flag an owned service account', async () => {
  const place = fixture.place('organization');
  const path = `/accounts/${place.service_account_id}`;
  for (const kind of callerKinds.filter((each) => each !== 'anonymous')) {
    const client = fixture.as(kind, 'organization');
    for (const [method, below, sent] of [
      ['POST', '/disable', undefined],
      ['POST', '/enable', undefined],
      ['PUT', '/flags', ['admin']],
    ] as const) {
      const { status } = await client(method, path + below, sent);
      expect({ kind, method, below, status }).toEqual({ kind, method, below, status: kind === 'admin' ? 409 : 403 });
    }
  }
  expect((await fixture.root('GET', path)).body).toMatchObject({ disabled: false, flags: [] });
});

/** Returns the verdict of the response, or the response itself if the permission matrix has no verdict for it. */
async function send({ row: { name, scope, operation }, kind, attempt }: Sent): Promise<string> {
  const client =
    attempt.as[kind] ??
    (kind === 'newcomer' && name === 'create-account' ? await fixture.newcomer() : fixture.as(kind, scope));
  const url = `${service.apiUrl}${attempt.path}`;
  // The client can read only JSON. HTML pages are the same for every caller.
  const { status, body } = await (operation.kind === 'page'
    ? readPage(url)
    : client(attempt.method, url, attempt.body));
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'denied';
  // An account's data connection gets the same answer as a missing one.
  if (status === 404 && name === `get-data-connection${ownedCase}`) return 'denied';
  const success = operation.kind === 'put' ? [200, 201] : [successStatus(operation)];
  const wanted = answersByState[name]?.[scope];
  const isExpected = wanted === undefined ? success.includes(status) : status === wanted;
  return isExpected ? 'allowed' : `${status} ${JSON.stringify(body)}`;
}

async function readPage(url: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const answer = await fetch(url);
  return { status: answer.status, body: await answer.text() };
}
