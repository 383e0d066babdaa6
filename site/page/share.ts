import { copy } from './copy.ts';

/** Turns the link to the page itself into a button. It opens the share menu of a phone, and otherwise copies the URL. */
export function addShareButton(link: HTMLAnchorElement): void {
  const isPhone = typeof navigator.share === 'function' && matchMedia('(pointer: coarse)').matches;
  if (!isPhone && navigator.clipboard === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = isPhone ? 'Share' : 'Copy link';
  button.addEventListener('click', () => {
    const { href: url } = link;
    if (!isPhone) return copy(url, button.firstChild as Text);
    // The browser rejects the promise when the user closes the menu.
    return navigator.share({ title: document.title, url }).catch(() => undefined);
  });
  link.replaceWith(button);
}
