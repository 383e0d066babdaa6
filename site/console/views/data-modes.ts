import type { Schemas } from '../api/client.ts';

type Mode = Schemas['RepositoryDataMode'];

/** From the most open on. */
export const dataModes = ['open', 'subscription', 'private'] as const satisfies readonly Mode[];

/** What `data_mode` is called wherever people meet it. */
export const modeTerm = 'Visibility';

/** Beside the control that chooses it. */
export const modeHint = 'Some storage does not support every option.';

/** What a data mode is to people. */
export const dataModeLabels: Readonly<Record<Mode, { name: string; hint: string; readers: string }>> = {
  open: { name: 'Open', hint: 'anyone can read it without an account', readers: 'everybody' },
  subscription: { name: 'Restricted', hint: 'only people you invite', readers: 'people who are invited' },
  private: { name: 'Private', hint: 'only members can read it', readers: 'members' },
};

/** What its place in the catalogue is called wherever people meet it. */
export const stateTerm = 'In the catalogue';

/** What its state in the catalogue is to people, while it is open. */
export const stateLabels: Readonly<Record<Schemas['Repository']['state'], string>> = {
  listed: 'Listed: anyone can find it',
  unlisted: 'Unlisted: anyone with the link',
};

/** Beside the control that chooses it. */
export const stateHint = 'Only open repositories appear in the catalogue.';

type Seen = Pick<Schemas['Repository'], 'data_mode' | 'state'>;

/** The catalogue shows open repositories alone, whatever the state of others says. */
export function describeCatalogueState({ data_mode, state }: Seen): string {
  return data_mode === 'open' ? stateLabels[state] : 'Not listed: only open repositories appear in the catalogue';
}

/** Who reads a repository and finds it, in a few words. */
export function describeAudience({ data_mode, state }: Seen): string {
  const { name, readers } = dataModeLabels[data_mode];
  const isByLink = data_mode === 'open' && state === 'unlisted';
  return `${name}: ${isByLink ? 'whoever has its link' : readers}`;
}

export function modeOptions(modes: readonly Mode[]): (readonly [Mode, string])[] {
  return modes.map((mode) => [mode, `${dataModeLabels[mode].name}: ${dataModeLabels[mode].hint}`]);
}

export function modeNames(modes: readonly Mode[]): string {
  return modes.map((mode) => dataModeLabels[mode].name).join(', ');
}
