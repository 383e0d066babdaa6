/** The local storage key of the epoch, which all tabs share. The epoch is a random text and not a secret. */
const key = 'sluice.epoch';

/**
 * Returns the current epoch, a text that changes at each sign-out. It is empty before the first sign-out, and in
 * browsers without storage.
 */
export function currentEpoch(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/**
 * Begins a new epoch at a sign-out. Every tab then rejects the tokens of earlier sign-ins, even a tab that misses the
 * sign-out message.
 */
export function beginEpoch(): void {
  try {
    localStorage.setItem(key, crypto.randomUUID());
  } catch {
    // Without storage, other tabs learn of the sign-out only by message, and only while they are open.
  }
}
