import { encodeFormerIssuer, encodePerson, identitiesOfPeople, readFormerIssuer } from '../accounts/identities.ts';
import { decode } from '../codec.ts';
import { keys } from '../keys.ts';
import { accountRecord } from '../records.ts';
import type { Migration } from './migration.ts';

/**
 * Gives every person of an older release the pointer from issuer and subject. First the table learns which issuer that
 * was: the one that is configured when this runs for the first time, unless an account of this release has said so.
 */
export const identitiesOfFormerPeople: Migration = {
  ...identitiesOfPeople,
  entities: ['account'],
  async *changes(item, { table, userIssuer }) {
    const { account_type, account_id, identity_id, identity_issuer } = decode(accountRecord, item);
    if (account_type !== 'user' || identity_issuer !== undefined) return;
    const recorded = readFormerIssuer(await table.get(keys.formerIssuer()));
    const issuer = recorded ?? userIssuer;
    if (issuer === undefined) throw new Error('nobody said which issuer the people of this table are of');
    if (recorded === undefined) yield [{ kind: 'put', item: encodeFormerIssuer(issuer) }];

    const person = encodePerson({ issuer, identity_id }, account_id);
    const present = await table.get(keys.person(issuer, identity_id));
    if (present !== undefined && present['account_id'] !== account_id) {
      throw new Error(`its identity has another account already: ${String(present['account_id'])}`);
    }
    yield [
      { kind: 'update', from: item, to: { identity_issuer: issuer } },
      present === undefined ? { kind: 'put', item: person } : { kind: 'check', from: present },
    ];
  },
};
