/** The storage key that all tabs share. Its value is random and not a secret. */
const key = 'sluice.epoch';

/** Returns the current epoch, which changes at each sign-out. Empty before the first sign-out or without storage. */
export function currentEpoch(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Begins a new epoch. Tokens of earlier sign-ins become invalid in all tabs, also in those that miss the message. */
export function beginEpoch(): void {
  try {
    localStorage.setItem(key, crypto.randomUUID());
  } catch {
    // Without storage, only open tabs learn of the sign-out, by message.
  }
}
