/** The one thing in the storage that all tabs share: a random word, which is no secret and opens nothing. */
const key = 'sluice.epoch';

/** Another one after each sign-out in this browser. Empty before the first, and where the browser stores nothing. */
export function currentEpoch(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** From now on, tokens of earlier sign-ins count in no tab, also where nobody was there to be told. */
export function beginEpoch(): void {
  try {
    localStorage.setItem(key, crypto.randomUUID());
  } catch {
    // A browser that stores nothing has told the tabs that listen.
  }
}
