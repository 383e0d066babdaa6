import { optionLabels } from '../components/stale.tsx';
import { modeNames } from '../views/data-modes.ts';

/** Labels of data connections, shared by the list, the view, and the forms. */

export const placing = 'Who places repositories on it';

/** Options for `read_only` of a draft. */
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

/** Returns the label of a connection's `required_flag`. */
export const flagLabel = (flag: string | undefined) => optionLabels(flagOptions)(flag ?? '');

/** Returns the labels of `allowed_data_modes`, which may be empty. */
export const listedModes = (modes: Parameters<typeof modeNames>[0]) => modeNames(modes) || 'takes no new repositories';
