/** Texts that several modules of the console use. */
export const texts = {
  signInIsOff: 'Sign-in is not configured at this site. Ask its operator.',
  signInNotBegunHere: 'This sign-in did not begin in this tab. Another user may have sent you the link. Sign in again.',
  signInNeedsStorage: 'Your browser blocks the storage of this site. Allow it, and sign in again.',
  signInDeclined: 'You did not sign in. You can try again.',
  signInFailed: 'The sign-in failed. Try again.',
  signedOutHereAlone:
    'You are signed out here, but your sign-in provider did not answer. On a shared computer, sign out there too or close the browser.',
  sessionEnded: 'You are signed out. Sign in again to continue.',
  sessionEndedUnsaved: 'You are signed out. Your unsaved input is lost. Sign in again to continue.',
  loading: 'Loading …',
  failed: 'The request failed because of an error of the service. Try again in a moment.',
  noConnection: 'The site cannot be reached. Check your connection and try again.',
  cancel: 'Cancel',
  close: 'Close',
  discard: 'Discard',
  saved: 'Saved.',
  checkFields: 'Fix the highlighted fields.',
  rowGone: 'This no longer exists. Another user removed it.',
  /** Messages by error code. The console shows them in place of the API's technical messages. */
  problems: {
    unauthenticated: 'You are signed out. Sign in again to continue.',
    access_denied: 'This does not exist, or you have no access. Ask an owner of the account.',
    unavailable: 'The service is not available. Try again in a moment.',
    internal: 'The request failed because of an error of the service. Try again in a moment.',
  } as Readonly<Record<string, string | undefined>>,
} as const;
