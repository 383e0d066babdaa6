import { decode } from '../codec.ts';
import { accountRecord } from '../records.ts';
import { attributesOf, type Migration } from './migration.ts';

/** Older releases stored the subject of whoever created an organization, and showed it to its keys and maintainers. */
export const identitiesOfOrganizations: Migration = {
  name: '0005-identities-of-organizations',
  entities: ['account'],
  changes(item) {
    const { account_type, identity_id } = decode(accountRecord, item);
    return account_type === 'organization' ? attributesOf(item, { identity_id }) : [];
  },
};
