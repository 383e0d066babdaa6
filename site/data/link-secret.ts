/** The form of a secret: 256 bits in base64url. The ID of a README's heading can have this form too. */
const secretForm = /^(?!section-)[\w-]{43}$/;

/**
 * Returns the secret of the link at this URL. A link has its secret in the fragment, which no browser sends to a
 * server. The first call moves it to the storage of the tab and clears the fragment, so that it survives a reload and a
 * sign-in but stands in no URL, no history, and no return path. Without a secret, the result is empty.
 */
export function takeLinkSecret(linkId: string): string {
  const name = `link ${linkId}`;
  const secret = location.hash.slice(1);
  if (secretForm.test(secret)) {
    sessionStorage.setItem(name, secret);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(name) ?? '';
}

export function forgetLinkSecret(linkId: string): void {
  sessionStorage.removeItem(`link ${linkId}`);
}
