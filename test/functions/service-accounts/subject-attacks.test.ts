import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Attack, attacks, claimsOf, main } from '../../lib/sts/subject-attack-table.ts';
import { roleArn } from '../../service/data-clients.ts';
import { postExchange, wireOf } from '../../service/raw-exchange.ts';
import { made } from '../people.ts';
import { type CiSystem, startCiSystem } from './ci-system.ts';
import { type ServiceAccountWorld, startServiceAccountWorld } from './fixture.ts';

/**
 * Runs the attacks of the unit tests against the running service. Checks the response to the attacker, and the message
 * to the owner.
 */

const requests: string[] = [];

function watch(client: DynamoDBClient) {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (input) => {
        requests.push(String(commandName));
        return next(input);
      },
    { step: 'initialize' },
  );
}

let ciSystem: CiSystem;
let world: ServiceAccountWorld;
beforeAll(async () => {
  ciSystem = await startCiSystem();
  const { issuer } = ciSystem;
  world = await startServiceAccountWorld({
    ciIssuers: [{ issuer, kind: 'github', algorithms: ['RS256'] }],
    instrument: watch,
  });
});
afterAll(async () => {
  await world.close();
  await ciSystem.close();
});

async function exchange(serviceAccountId: string, claims: Record<string, unknown>) {
  requests.length = 0;
  const answer = await postExchange(world, {
    RoleArn: roleArn('FullAccess', serviceAccountId),
    WebIdentityToken: ciSystem.token({ aud: world.dataUrl, ...claims }),
  });
  return { status: answer.status, wire: wireOf(answer), commands: [...requests] };
}

/** All refusals must have the same text. */
const refusals = new Set<string>();

test.each(Object.entries(attacks))(
  '%s: the attacker learns nothing, the owner is told why',
  async (_, attack: Attack) => {
    const { trusted = main, claims, before } = attack;
    const { id, path } = await world.newServiceAccount();
    await made(world.ada('POST', `${path}/trusted-workflows`, { issuer: ciSystem.issuer, ...trusted }));
    if (before !== undefined) expect((await exchange(id, claimsOf(attack, before))).status).toBe(200);

    const { status, wire, commands } = await exchange(id, claimsOf(attack, claims));
    expect(status).toBe(403);
    expect(commands).toEqual(['BatchGetItemCommand', 'TransactWriteItemsCommand']);
    refusals.add(wire);
    expect([...refusals]).toEqual([
      expect.stringMatching(
        /<Code>AccessDenied<\/Code><Message>Not authorized to perform sts:AssumeRoleWithWebIdentity \(request id ID\)<\/Message>/,
      ),
    ]);
    expect((await world.ada('GET', path)).body.last_refused_sign_in).toMatchObject({
      issuer: ciSystem.issuer,
      difference: attack.told,
    });
  },
);

test('trusted by one service account, a run that names another gets the same, and the owner of that one is told', async () => {
  const trusting = await world.newServiceAccount();
  const other = await world.newServiceAccount();
  await made(world.ada('POST', `${trusting.path}/trusted-workflows`, { issuer: ciSystem.issuer, ...main }));
  const { wire, commands } = await exchange(other.id, claimsOf({ told: '' }));
  expect([...refusals]).toEqual([wire]);
  expect(commands).toEqual(['BatchGetItemCommand', 'TransactWriteItemsCommand']);
  const { body } = await world.ada('GET', other.path);
  expect(body.last_refused_sign_in).toMatchObject({ trusted_subjects: [], difference: 'no workflow is trusted' });
  expect((await world.ada('GET', trusting.path)).body.last_refused_sign_in).toBeUndefined();
});
