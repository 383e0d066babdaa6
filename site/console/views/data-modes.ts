import type { Schemas } from '../api/client.ts';

type Mode = Schemas['RepositoryDataMode'];

/** From the most open on. */
export const dataModes = ['open', 'subscription', 'private'] as const satisfies readonly Mode[];

/** What `data_mode` is called wherever people meet it. */
export const modeTerm = 'Who reads it';

/** Beside the control that chooses it. */
export const modeHint = 'For programs: the data mode (data_mode). The storage decides which of these it takes.';

/** What a data mode is to people. */
export const modeWords: Readonly<Record<Mode, { name: string; hint: string }>> = {
  open: { name: 'Open', hint: 'everybody reads it, without an account' },
  subscription: { name: 'By subscription', hint: 'those read it whom you invite' },
  private: { name: 'Private', hint: 'members alone read it' },
};

/** What its state in the catalogue is to people. */
export const stateWords: Readonly<Record<Schemas['Repository']['state'], string>> = {
  listed: 'Listed: everybody finds it',
  unlisted: 'Unlisted: those find it who have its link',
};

export function modeOptions(modes: readonly Mode[]): (readonly [Mode, string])[] {
  return modes.map((mode) => [mode, `${modeWords[mode].name}: ${modeWords[mode].hint}`]);
}

export function modeNames(modes: readonly Mode[]): string {
  return modes.map((mode) => modeWords[mode].name).join(', ');
}
