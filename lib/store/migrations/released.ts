import { placesOfRepositories } from './0001-places-of-repositories.ts';
import { internalIds } from './0002-internal-ids.ts';
import { whoDisabledWhat } from './0003-who-disabled.ts';
import { identitiesOfFormerPeople } from './0004-identities-of-people.ts';
import { identitiesOfOrganizations } from './0005-identities-of-organizations.ts';
import { secretsOfApiKeys } from './0006-secrets-of-api-keys.ts';
import { placesOfMemberships } from './0007-places-of-memberships.ts';
import { placesOfVisibleRepositories } from './0008-visible-repositories.ts';
import { versions } from './0009-versions.ts';
import { namesOfEnabledRepositories } from './0010-names-of-repositories.ts';
import { placesOfEnabledPeople } from './0011-places-of-people.ts';
import type { Migration } from './migration.ts';

/** Every migration, in the order in which they run. New ones go to the end. */
export const releasedMigrations: readonly Migration[] = [
  placesOfRepositories,
  internalIds,
  whoDisabledWhat,
  identitiesOfFormerPeople,
  identitiesOfOrganizations,
  secretsOfApiKeys,
  placesOfMemberships,
  placesOfVisibleRepositories,
  versions,
  namesOfEnabledRepositories,
  placesOfEnabledPeople,
];
