import { describe, expect, test } from 'vitest';
import { isIdentifier } from '../../../lib/domain/identifiers.ts';
import { requireUnreservedId, reservedIds } from '../../../lib/domain/reserved-ids.ts';

const { unavailable, forAdministrators } = reservedIds;

function refusal(id: string, isAdmin: boolean): string | undefined {
  try {
    requireUnreservedId(id, 'account_id', { isAdmin });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the list of reserved IDs', () => {
  test('contains at most 60 distinct IDs, each of them a valid account ID', () => {
    const ids = [...Object.keys(unavailable), ...Object.keys(forAdministrators)];
    expect(ids.length).toBeLessThanOrEqual(60);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !isIdentifier(id))).toEqual([]);
  });

  test.each(Object.entries(unavailable))('refuses %s to all callers, since %s', (id, reason) => {
    const message = `The ID ${id} is reserved, since ${reason}; choose another`;
    expect([refusal(id, false), refusal(id, true)]).toEqual([message, message]);
  });

  test.each(Object.entries(forAdministrators))('lets only administrators create %s, since %s', (id, reason) => {
    const next = 'choose another, or ask an administrator to create it';
    expect([refusal(id, false), refusal(id, true)]).toEqual([
      `The ID ${id} is reserved, since ${reason}; ${next}`,
      undefined,
    ]);
  });

  test.each(['aws', 'console', 'root', 'security', 'sign-in', 'sluice', 'support'])('includes %s', (id) => {
    expect(refusal(id, false)).toContain('is reserved');
  });

  test.each(['tides', 'data-bank', 'api-tools', 'support-hamburg', 'rooted', 'constructor', 'to-string'])(
    'allows all callers to use %s',
    (id) => expect(refusal(id, false)).toBeUndefined(),
  );
});
