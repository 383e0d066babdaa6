import { optionLabels } from '../components/stale.tsx';
import { modeNames } from '../views/data-modes.ts';

/** What people meet of a data connection: the same words in the list, in its view and in its forms. */

export const placing = 'Who places repositories on it';

/** By whether it is read only, as a draft has it. */
export const usageOptions = [
  ['no', 'Reading and writing'],
  ['yes', 'Reading only'],
] as const;

export const flagOptions = [
  ['', 'Anybody with an account'],
  ['create_repositories', 'Accounts with the flag create_repositories'],
  ['create_organizations', 'Accounts with the flag create_organizations'],
  ['admin', 'Administrators'],
] as const;

export const usageLabels = optionLabels(usageOptions);

/** Of a connection's `required_flag`. */
export const flagLabel = (flag: string | undefined) => optionLabels(flagOptions)(flag ?? '');

/** Of `allowed_data_modes`, of which there may be none. */
export const listedModes = (modes: Parameters<typeof modeNames>[0]) => modeNames(modes) || 'takes no new repositories';
