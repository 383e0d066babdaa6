import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import { everyPage } from '../../domain/list-pages.ts';
import { encode } from '../codec.ts';
import { keys } from '../keys.ts';
import { newPlaces, takenOver } from '../memberships/former-places.ts';
import { roleIn } from '../request-data.ts';
import type { Item } from '../table.ts';
import { attributesOf, type ItemChanges, type Migration, type MigrationContext } from './migration.ts';

const userAccount = z.object({ account_id: z.string(), account_type: z.string() });

/**
 * Memberships used to lie in their member's partition whatever their state, so that anybody's invitations made a session
 * long. Each is an item of its own now, with a copy in the list of its state. What a person has joined is counted.
 */
export const placesOfMemberships: Migration = {
  name: '0007-places-of-memberships',
  entities: ['membership', 'membership_entry'],
  async *changes(item, context) {
    if (item['entity'] === 'membership_entry') return yield* takenOver(item, context);
    if (String(item['pk']).startsWith('ACCOUNT#')) yield* newPlaces(item, context);
  },
  finish: { entities: ['account'], changes: countAccepted },
};

async function* countAccepted(item: Item, { table }: MigrationContext): AsyncGenerator<ItemChanges> {
  const { account_id, account_type } = userAccount.parse(item);
  if (account_type !== 'user') return;
  const key = keys.acceptedCount(account_id);
  // Before the roles: whoever joins meanwhile changes it, and it is counted again.
  const stored = await table.get(key);
  const { pk, sk } = keys.role(account_id, '');
  const range = { from: sk, to: 'ROLE$' };
  const pages = everyPage((after) => table.partitionPage(pk, range, { limit: limits.listPageMax, after }));
  let accepted_count = 0;
  for await (const page of pages) accepted_count += page.filter((role) => roleIn(role) !== undefined).length;
  if (stored !== undefined) yield* attributesOf(stored, { accepted_count });
  else if (accepted_count > 0) yield [{ kind: 'put', item: encode('accepted_count', { accepted_count }, { key }) }];
}
