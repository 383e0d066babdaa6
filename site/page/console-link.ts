/** Changes the link "Sign in" of the header to "Console" when the user is signed in. */
export function nameConsoleLink(link: HTMLElement): void {
  if (sessionStorage.getItem('sluice.tokens') !== null) link.textContent = 'Console';
}
