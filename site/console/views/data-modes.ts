import type { Schemas } from '../api/client.ts';

type Mode = Schemas['RepositoryDataMode'];

/** The data modes, with the most open one first. */
export const dataModes = ['open', 'subscription', 'private'] as const satisfies readonly Mode[];

/** The name that the console uses for the field `data_mode`. */
export const modeTerm = 'Visibility';

/** The hint below the select for the data mode. */
export const modeHint = 'Some storage does not support every option.';

/** Labels of the data modes. */
export const dataModeLabels: Readonly<Record<Mode, { name: string; hint: string; readers: string }>> = {
  open: { name: 'Open', hint: 'anyone can read it without an account', readers: 'everyone' },
  subscription: { name: 'Restricted', hint: 'only people you invite', readers: 'invited people' },
  private: { name: 'Private', hint: 'only members can read it', readers: 'members' },
};

/**
 * The name that the console uses for a repository's field `state`, which decides whether the catalogue lists the
 * repository.
 */
export const stateTerm = 'In the catalogue';

/** Labels of the catalogue states of an open repository. */
export const stateLabels: Readonly<Record<Schemas['Repository']['state'], string>> = {
  listed: 'Listed: anyone can find it',
  unlisted: 'Unlisted: anyone with the link',
};

/** The hint below the select for the catalogue state. */
export const stateHint = 'Only open repositories appear in the catalogue.';

type Seen = Pick<Schemas['Repository'], 'data_mode' | 'state'>;

/**
 * Describes whether the catalogue lists a repository. The catalogue lists only open repositories, whatever their
 * `state` is.
 */
export function describeCatalogueState({ data_mode, state }: Seen): string {
  return data_mode === 'open' ? stateLabels[state] : 'Not listed: only open repositories appear in the catalogue';
}

/** Describes in a few words who can read and who can find a repository. */
export function describeAudience({ data_mode, state }: Seen): string {
  const { name, readers } = dataModeLabels[data_mode];
  const isByLink = data_mode === 'open' && state === 'unlisted';
  return `${name}: ${isByLink ? 'anyone with the link' : readers}`;
}

export function modeOptions(modes: readonly Mode[]): (readonly [Mode, string])[] {
  return modes.map((mode) => [mode, `${dataModeLabels[mode].name}: ${dataModeLabels[mode].hint}`]);
}

export function modeNames(modes: readonly Mode[]): string {
  return modes.map((mode) => dataModeLabels[mode].name).join(', ');
}
