import { wantedPlaces } from '../accounts/user-search-keys.ts';
import { decode } from '../codec.ts';
import { accountRecord } from '../records.ts';
import { attributesOf, type Migration } from './migration.ts';

/**
 * People are found by their IDs and display names. An older release makes accounts without their places among those, and leaves
 * there what it disables or names anew, which readers leave out.
 */
export const placesOfEnabledPeople: Migration = {
  name: '0011-places-of-people',
  entities: ['account'],
  *changes(item) {
    const account = decode(accountRecord, item);
    if (account.account_type === 'user') yield* attributesOf(item, wantedPlaces(account));
  },
};
