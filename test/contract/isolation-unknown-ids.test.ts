import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Operation, routePath } from '../../lib/operations/operation.ts';
import { pathParameterSchemas } from '../../lib/operations/path-parameters.ts';
import { registry } from '../../lib/operations/registry.ts';
import { createOrganization, signUp, signUpAdmin, signUpFounder } from '../functions/people.ts';
import { matrixRows } from '../lib/domain/accounts/permissions/matrix.ts';
import type { CallerKind } from '../lib/domain/accounts/permissions/matrix-shape.ts';
import { type Client, startTestService, type TestService } from '../service/test-service.ts';
import { exampleBody, filledPath, namesOf, unknownIds } from './example-requests.ts';

let service: TestService;
let clients: Record<Case['caller'], Client>;
beforeAll(async () => {
  service = await startTestService();
  const admin = await signUpAdmin(service);
  const owner = await signUpFounder(service, admin, 'the-owner');
  await createOrganization(owner, 'the-organization');
  clients = { anonymous: service.anyone, stranger: await signUp(service, 'stranger'), owner, admin };
});
afterAll(() => service?.close());

const ofNobody = Object.fromEntries(
  Object.keys(pathParameterSchemas)
    .filter((parameter) => parameter !== 'data_connection_id')
    .map((parameter) => [parameter, unknownIds(parameter)[0] ?? 'missing']),
);
const ofOwner = { ...ofNobody, account_id: 'the-organization', service_account_id: 'the-organization--none' };

interface Case {
  operation: Operation;
  caller: 'anonymous' | 'stranger' | 'owner' | 'admin';
  ids: Readonly<Record<string, string>>;
  status: number;
}

const guarded = registry.filter(
  ({ path, target, permission }) =>
    permission.kind !== 'anyone' && namesOf({ path, target }).some((parameter) => parameter in ofNobody),
);

/** Returns true when the matrix allows the operation for some type of account, or for organizations only. */
function isAllowed(operation: Operation, kind: CallerKind, scope?: 'organization'): boolean {
  return matrixRows.some(
    (row) =>
      row.operation === operation &&
      (scope === undefined || row.scope === scope) &&
      row.verdicts.get(kind) === 'allowed',
  );
}

const cases = guarded.flatMap((operation): Case[] => {
  const { target } = operation;
  // Only the record with this ID decides about rights. Without it, all callers except admins are refused.
  const telling = ['membership', 'api_key', 'service_account', 'incoming_transfer', 'outgoing_transfer'];
  const tellsNothing = telling.includes(target);
  // Below the owner's account, a 404 reveals nothing to the owner.
  const isBelowAccount = target === 'repository' || target === 'service_account' || target === 'scope';
  // Only the repository decides who may read it. A missing repository grants no rights.
  const isForReaders = operation.permission.kind === 'reading';
  const ownerMayKnow = isBelowAccount && !isForReaders && isAllowed(operation, 'owners', 'organization');
  const unknown: Case[] = [
    { operation, caller: 'anonymous', ids: ofNobody, status: 401 },
    { operation, caller: 'stranger', ids: ofNobody, status: 403 },
    { operation, caller: 'owner', ids: ofNobody, status: 403 },
    { operation, caller: 'admin', ids: ofNobody, status: tellsNothing || isAllowed(operation, 'admin') ? 404 : 403 },
  ];
  const belowOwner: Case[] = [
    { operation, caller: 'stranger', ids: ofOwner, status: 403 },
    { operation, caller: 'owner', ids: ofOwner, status: ownerMayKnow ? 404 : 403 },
  ];
  return isBelowAccount ? [...unknown, ...belowOwner] : unknown;
});

test.for(cases.map((each) => ({ ...each, request: requestOf(each) })))(
  '$caller is told $status by $request, which names nothing',
  async ({ operation, caller, ids, status }) => {
    const path = requestOf({ operation, ids }).split(' ')[1] ?? '';
    const answer = await clients[caller](operation.method, service.apiUrl + path, exampleBody(operation));
    expect(answer).toMatchObject({ status });
  },
);

function requestOf({ operation, ids }: Pick<Case, 'operation' | 'ids'>): string {
  return `${operation.method} ${filledPath(routePath(operation), operation, ids)}`;
}
