/** The form of a link's secret: 256 bits in base64url. The ID of a README's heading can have this form too. */
const secretForm = /^(?!section-)[\w-]{43}$/;

/**
 * Returns the secret of the link at this URL, or an empty text without one. The URL has the secret in its fragment,
 * which browsers never send to a server. The first call moves the secret to the storage of the tab and clears the
 * fragment. It then survives a reload and a sign-in, but is in no URL, history, or return path.
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
