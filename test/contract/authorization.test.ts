import { afterAll, beforeAll, expect, test } from 'vitest';
import { successStatus } from '../../lib/operations/operation.ts';
import { made } from '../functions/people.ts';
import { type MatrixRow, matrixRows } from '../lib/domain/accounts/permissions/matrix.ts';
import { type CallerKind, callerKinds, type Scope } from '../lib/domain/accounts/permissions/matrix-shape.ts';
import { type Answer, startTestService, type TestService } from '../service/test-service.ts';
import { type Attempt, prepareRequest } from './authorization-requests.ts';
import { buildWorld, type World } from './fixture.ts';

let service: TestService;
let world: World;
let serviceAccountKey: string | undefined;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  // New accounts may send only a few invitations a day.
  service.advance(8 * 86_400);
});
afterAll(() => service?.close());

/**
 * Status for allowed callers when the target has no such property: a service account has no profile, no flags, and no
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
  'get-repository': { service: 404 },
  'update-repository': { service: 404 },
  'disable-repository': { service: 404 },
  'enable-repository': { service: 404 },
  // An enabled repository cannot be deleted. repository-lives.test.ts deletes disabled ones.
  'delete-repository': { user: 409, organization: 409 },
  // No partner is configured, so no signature is valid.
  'report-found-keys': { any: 404 },
  'answer-unknown-route': { any: 404 },
};

test.for(matrixRows)('$name ($scope) answers every kind of caller as the table says', async (row) => {
  const answered = new Map<CallerKind, string>();
  const allowed = callerKinds.filter((kind) => row.verdicts.get(kind) === 'allowed');
  const refused = callerKinds.filter((kind) => row.verdicts.get(kind) !== 'allowed');
  // A refused request changes nothing, so all refused callers send the same request.
  const attempt = await prepareRequest(world, row, 'stranger');
  await Promise.all(
    refused.filter(isUndisturbed).map(async (kind) => answered.set(kind, await send(row, kind, attempt))),
  );
  for (const kind of refused.filter((other) => !isUndisturbed(other))) {
    answered.set(kind, await send(row, kind, attempt));
  }
  if (row.operation.permission.kind !== 'anyone')
    expect(await sendWithServiceAccountKey(row, attempt)).toEqual(['unauthenticated', 'unauthenticated']);
  for (const kind of allowed) {
    const ownAttempt = await prepareRequest(world, row, kind);
    answered.set(kind, await send(row, kind, ownAttempt));
    await ownAttempt.undo?.();
  }
  expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(row.verdicts));
});

/** Returns false for a caller whose request disables the target account for a moment. */
function isUndisturbed(kind: CallerKind): boolean {
  return kind !== 'disabled_user';
}

test('an owned service account is disabled, enabled and given flags by nobody through the route of accounts', async () => {
  const place = world.place('organization');
  const path = `/accounts/${place.service_account_id}`;
  for (const kind of callerKinds.filter((each) => each !== 'anonymous')) {
    const client = world.as(kind, 'organization');
    for (const [method, below, sent] of [
      ['DELETE', '', undefined],
      ['POST', '/enable', undefined],
      ['PUT', '/flags', ['admin']],
    ] as const) {
      const { status } = await client(method, path + below, sent);
      expect({ kind, method, below, status }).toEqual({ kind, method, below, status: kind === 'admin' ? 409 : 403 });
    }
  }
  expect((await world.root('GET', path)).body).toMatchObject({ disabled: false, flags: [] });
});

/** Sends a refused request with the key of an owned service account, which is an identity in neither scheme. */
async function sendWithServiceAccountKey(row: MatrixRow, attempt: Attempt): Promise<string[]> {
  const { account_id, manager } = world.place('organization');
  const serviceAccount = `${account_id}--sync`;
  serviceAccountKey ??= (
    await made(manager('POST', `/service-accounts/${serviceAccount}/keys`, { label: 'stray', expiry: 'never' }))
  ).body.key;
  return Promise.all(
    [`Bearer ${serviceAccountKey}`, `${serviceAccount} ${serviceAccountKey}`].map((authorization) =>
      send(row, 'stranger', { ...attempt, as: { stranger: service.withAuthorization(authorization) } }),
    ),
  );
}

/** Returns the verdict of the response, or the response itself if the matrix has no verdict for it. */
async function send({ name, scope, operation }: MatrixRow, kind: CallerKind, attempt: Attempt): Promise<string> {
  const client =
    attempt.as[kind] ??
    (kind === 'newcomer' && name === 'create-account' ? await world.newcomer() : world.as(kind, scope));
  const url = `${service.apiUrl}${attempt.path}`;
  // The client reads only JSON. A page is the same for every caller.
  const { status, body } = await (operation.kind !== 'page'
    ? client(attempt.method, url, attempt.body)
    : readPage(url));
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'denied';
  const success = operation.kind === 'put' ? [200, 201] : [successStatus(operation)];
  const wanted = answersByState[name]?.[scope];
  const isExpected = wanted === undefined ? success.includes(status) : status === wanted;
  return isExpected ? 'allowed' : `${status} ${JSON.stringify(body)}`;
}

async function readPage(url: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const answer = await fetch(url);
  return { status: answer.status, body: await answer.text() };
}
