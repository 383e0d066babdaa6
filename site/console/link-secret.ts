/**
 * Returns the secret of the link at this URL. The secret is in the fragment, which browsers never send to a server. The
 * first call moves the secret to the tab's session storage and clears the fragment. The secret then survives a sign-in,
 * and is in no URL, history entry, or return path.
 */
export function takeLinkSecret(linkId: string): string {
  const name = `link ${linkId}`;
  const secret = location.hash.slice(1);
  if (secret !== '') {
    sessionStorage.setItem(name, secret);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(name) ?? '';
}

export function forgetLinkSecret(linkId: string): void {
  sessionStorage.removeItem(`link ${linkId}`);
}
